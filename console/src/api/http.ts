import { BASE, PREFIX } from './base.js';
import { quotaIn, type Quota } from './quota.js';
import type { Fault } from './types.js';

interface RefusalDetails {
  faults?: Fault[];
  retryAfterSeconds?: number | null;
  quota?: Quota | null;
}

/** A refusal of the service, or its absence (`status` 0, `UNREACHABLE`). */
export class ApiError extends Error {
  readonly faults: Fault[];
  readonly retryAfterSeconds: number | null;
  readonly quota: Quota | null;

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    { faults = [], retryAfterSeconds = null, quota = null }: RefusalDetails = {},
  ) {
    super(message);
    this.faults = faults;
    this.retryAfterSeconds = retryAfterSeconds;
    this.quota = quota;
  }
}

/** Whether nothing has the id that was asked for, or can have it; other refusals pass. */
export const isNotThere = (error: unknown): error is ApiError =>
  error instanceof ApiError && [400, 404, 422].includes(error.status);

/** Whether the service itself says that its store is away; a proxy may answer for it, too. */
export const isStoreAway = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'UNAVAILABLE';

/** Event of the window: the service has asked for a credential. */
export const SIGNED_OUT = 'console:signed-out';

export interface CallOptions {
  body?: unknown;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/**
 * Asks the service. A path that begins with `/` is below the root of the service, any other below
 * its base path.
 * @throws ApiError; `AbortError` when the signal was aborted
 */
export async function ask(
  method: string,
  path: string,
  { body, signal, headers }: CallOptions = {},
): Promise<Response> {
  const url = path.startsWith('/') ? PREFIX + path : `${BASE}/${path}`;
  const init: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  };
  const response = await fetch(url, init).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'UNREACHABLE', 'The service does not answer');
  });
  if (response.status === 401) dispatchEvent(new Event(SIGNED_OUT));
  if (!response.ok) throw await refusalOf(response);
  return response;
}

/** @returns `data` of the envelope; the whole answer where it has none */
export async function call<T>(method: string, path: string, options?: CallOptions): Promise<T> {
  const response = await ask(method, path, options);
  const answer = (await response.json()) as unknown;
  const isEnvelope =
    typeof answer === 'object' && answer !== null && 'code' in answer && 'data' in answer;
  return (isEnvelope ? answer.data : answer) as T;
}

async function refusalOf(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after')) || null;
  const answer = (await response.json().catch(() => null)) as {
    code?: string;
    message?: string;
    detail?: string;
    data?: { errors?: Fault[]; usage?: number; limit?: number } | null;
  } | null;
  return new ApiError(
    response.status,
    answer?.code ?? 'ERROR',
    answer?.message || answer?.detail || `The service answered ${response.status}`,
    {
      faults: answer?.data?.errors ?? [],
      retryAfterSeconds: retryAfter,
      quota: quotaIn(answer?.data ?? {}),
    },
  );
}
