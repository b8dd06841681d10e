/** The output of a command, or the answer of a server. */
export interface OwnOutput {
  text: string;
  /** Of a command. */
  code?: number;
  /** What a command wrote to its standard error. */
  stderr?: string;
}
