/** The envelope of every JSON response (contract section 3). */
export interface Envelope<Data> {
  code: string;
  message: string;
  data: Data;
}

export const success = <Data>(data: Data, message = 'OK'): Envelope<Data> => ({
  code: 'SUCCESS',
  message,
  data,
});
