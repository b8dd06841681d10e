/**
 * The headers of requests to a service: the key of CONSILIUM_API_KEY as a bearer token, if it is
 * set.
 */
export function keyHeaders(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const key = env['CONSILIUM_API_KEY'] ?? '';
  return key === '' ? {} : { authorization: `Bearer ${key}` };
}
