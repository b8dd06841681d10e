/** What the handling of a request leaves on its response for metrics. */

/** The event of a response whose stream has sent its first frames. */
export const FIRST_FRAMES = Symbol('first frames');

/** A response, reduced to the values that are recorded on it. */
interface MeasuredResponse {
  locals: Record<string, unknown>;
}

const LIMIT = 'limit';

/** Notes which limit refused a request. @param limit one of a few names */
export function noteLimit({ locals }: MeasuredResponse, limit: string): void {
  locals[LIMIT] = limit;
}

/** The limit that refused a request; undefined if none did. */
export const limitOf = ({ locals }: MeasuredResponse): string | undefined => {
  const limit = locals[LIMIT];
  return typeof limit === 'string' ? limit : undefined;
};
