/** The error of a provider, read from any of the shapes that providers use. */
export interface ProviderError {
  type: string;
  message: string;
  status: number | undefined;
}

/** Bounds for reading a provider's error: UTF-16 code units of a text, and nesting of objects. */
const READ = 2_000;
const DEEPEST = 8;

/** Maps the error type of a provider to an HTTP status. */
export function meaning({ type, status }: ProviderError): number | undefined {
  if (/overloaded|slow_down|unavailable/i.test(type)) return 529;
  if (/rate_?limit|too_many|insufficient_quota|resource_exhausted/i.test(type)) return 429;
  if (/authentication/i.test(type)) return 401;
  if (/permission/i.test(type)) return 403;
  if (/not_found/i.test(type)) return 404;
  if (/too_large|context_length/i.test(type)) return 413;
  if (/invalid_request|invalid_prompt|bad_request/i.test(type)) return 400;
  if (/server_error|api_error|internal|timeout/i.test(type)) return 502;
  return status;
}

/** The JSON of an error body; undefined if it is none. */
export function parsed(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : (JSON.parse(body) as unknown);
  } catch {
    return undefined;
  }
}

/**
 * Reads `{type, code, message}`, `{error: {…}}` or `{error: "…"}`, also inside the wrappers of
 * OpenAI's package.
 */
export function readProviderError(value: unknown, depth = 0): ProviderError | undefined {
  if (depth > DEEPEST) return undefined;
  if (typeof value === 'string')
    return { type: '', message: value.slice(0, READ), status: undefined };
  if (typeof value !== 'object' || value === null) return undefined;
  const { error, data, response, type, code, message, status, statusCode } = value as Record<
    string,
    unknown
  >;
  const inner =
    readProviderError(error, depth + 1) ??
    (data === value ? undefined : readProviderError(data, depth + 1)) ??
    (response === undefined ? undefined : readProviderError(response, depth + 1));
  if (inner) return inner;
  if (typeof message !== 'string') return undefined;
  const number = [statusCode, status, code]
    .map(Number)
    .find((n) => Number.isInteger(n) && n >= 400 && n < 600);
  return {
    type: [type, code]
      .filter((word) => typeof word === 'string')
      .join(' ')
      .slice(0, READ),
    message: message.slice(0, READ),
    status: number,
  };
}
