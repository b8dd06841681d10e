/** The header of a response that names its request, as the process log and the audit log do. */
export const REQUEST_ID = 'X-Request-Id';

/** Undefined of a request that has not got its id yet. */
export function requestIdOf(response: { getHeader(name: string): unknown }): string | undefined {
  const id = response.getHeader(REQUEST_ID);
  return typeof id === 'string' ? id : undefined;
}
