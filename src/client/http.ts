import { ConsiliumError, type ErrorCode, type Fault } from '../domain/errors.js';

interface Envelope {
  code: string;
  message: string;
  data: unknown;
}

export interface Question {
  body?: unknown;
  accept: 'application/json' | 'text/event-stream' | 'text/markdown';
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
}

const JSON_MS = 30_000;

/**
 * Sends requests. A refused request throws a `ConsiliumError` with its code, an unreachable service
 * one with `UNAVAILABLE`.
 */
export class Http {
  readonly #url: string;

  constructor(
    url: string,
    private readonly headers: Record<string, string>,
  ) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new TypeError(
        `${JSON.stringify(url)} is not the URL of a service, such as http://127.0.0.1:3000`,
      );
    this.#url = url.replace(/\/+$/, '');
  }

  /** Sends a request. @throws ConsiliumError, or the reason of the signal */
  async ask(
    method: string,
    path: string,
    { body, accept, signal, headers }: Question,
  ): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.#url + path, {
        method,
        headers: {
          ...this.headers,
          accept,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      if (signal?.aborted === true && (signal.reason as Error).name !== 'TimeoutError') throw cause;
      throw new ConsiliumError(
        'UNAVAILABLE',
        `No answer from ${this.#url}: is the service running there?`,
        { cause },
      );
    }
    if (!response.ok) throw await refusal(response, this.#url);
    return response;
  }

  /** Sends a request. @returns `data` of the response, as the service describes it */
  async json<T>(
    method: string,
    path: string,
    { signal, ...question }: Omit<Question, 'accept'> = {},
  ): Promise<T> {
    const timeout = AbortSignal.timeout(JSON_MS);
    const both = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const response = await this.ask(method, path, {
      ...question,
      accept: 'application/json',
      signal: both,
    });
    return ((await response.json()) as Envelope).data as T;
  }
}

const TOLD = 5;

/**
 * A message with the first faults, one line each; the service names some of them in the message
 * itself.
 */
function withFaults(message: string, faults: readonly Fault[] = []): string {
  const rest = faults.length > TOLD ? [`and ${faults.length - TOLD} more`] : [];
  const [first] = faults;
  const at = first ? message.indexOf(`: ${`${first.path} ${first.message}`.trim()}`) : -1;
  return [
    at < 0 ? message : message.slice(0, at),
    ...faults.slice(0, TOLD).map(({ path, message: what }) => `${path} ${what}`),
    ...rest,
  ].join('\n  ');
}

/** Converts the response to a refused request into an error. */
async function refusal(response: Response, url: string): Promise<ConsiliumError> {
  const text = await response.text();
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  const later = Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {};
  try {
    const { code, message, data } = JSON.parse(text) as Envelope;
    if (typeof code !== 'string' || typeof message !== 'string') throw new TypeError('no envelope');
    const faults = (data as { errors?: Fault[] } | null)?.errors;
    return new ConsiliumError(code as ErrorCode, withFaults(message, faults), {
      ...later,
      ...(faults && { faults }),
    });
  } catch {
    return new ConsiliumError(
      'INTERNAL_ERROR',
      `${url} answered ${response.status}, but not as a Consilium service does.`,
    );
  }
}
