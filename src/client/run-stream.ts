import { ConsiliumError } from '../domain/errors.js';
import {
  isTerminal,
  type EventName,
  type NamedEvent,
  type RunEvent,
} from '../domain/events/event.js';
import type { Http } from './http.js';
import { pause } from '../lib/async.js';
import { backoffMs } from './backoff.js';
import { between } from './connection.js';
import { readFrames } from './read-frames.js';
import { StreamError } from './stream-error.js';
import type { StreamOptions, TriggeredRun, TriggerOptions } from './types.js';

/** The API below this path. Contract section 3. */
export const BASE = '/api/service/v1';

/**
 * Posts a request that starts a run and follows it on the same connection. The request is sent
 * once.
 */
export async function startRun(
  http: Http,
  path: string,
  body: object,
  { idempotencyKey, ...options }: TriggerOptions,
): Promise<TriggeredRun> {
  const response = await http.ask('POST', `${path}?format=executor`, {
    body,
    accept: 'text/event-stream',
    headers: keyHeader(idempotencyKey),
    signal: options.signal,
  });
  const runId = response.headers.get('x-run-id') ?? '';
  return { runId, events: followRun(http, { runId, after: 0, first: response }, options) };
}

export const keyHeader = (idempotencyKey: string | undefined): Record<string, string> =>
  idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };

/**
 * Yields the log of a run after a sequence, up to its terminal event. Reconnects without gaps or
 * duplicates.
 * @param from `first` is a response that already streams the run
 * @throws ConsiliumError if the stream is refused, or if it is cut and `attempts` connections gave
 *   nothing
 */
export async function* followRun(
  http: Http,
  { runId, after, first }: { runId: string; after: number; first?: Response },
  { signal, attempts = Infinity, onConnection }: StreamOptions,
): AsyncGenerator<NamedEvent, void, undefined> {
  let last = after;
  let response = first;
  for (let attempt = 1; ; attempt++) {
    let wait = backoffMs(attempt, Math.random());
    let reason = 'The connection was cut';
    try {
      if (!response) onConnection?.({ state: 'connecting' });
      response ??= await http.ask(
        'GET',
        `${BASE}/executions/${encodeURIComponent(runId)}/events?format=executor`,
        { accept: 'text/event-stream', signal, headers: { 'last-event-id': String(last) } },
      );
      if (response.status === 204) return;
      if (response.body === null) throw new Error('an answer without a body');
      onConnection?.({ state: 'open' });
      for await (const { event: name = '', data } of readFrames(response.body)) {
        if (name === 'error') throw refused(data);
        const event = JSON.parse(data) as RunEvent;
        if (event.sequence <= last) continue;
        [last, attempt] = [event.sequence, 0];
        yield { ...event, name: name as EventName } as NamedEvent;
        if (isTerminal(name)) return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      const passing =
        !(error instanceof StreamError) &&
        (!(error instanceof ConsiliumError) || error.code === 'UNAVAILABLE');
      if (!passing || attempt >= attempts || runId === '') throw error;
      if (error instanceof ConsiliumError) {
        wait = Math.max(wait, (error.options.retryAfterSeconds ?? 0) * 1_000);
        reason = error.message;
      }
    }
    signal?.throwIfAborted();
    if (attempt >= attempts || runId === '')
      throw new ConsiliumError(
        'UNAVAILABLE',
        `The event stream of run ${runId} was cut and could not be resumed.`,
      );
    response = undefined;
    onConnection?.(between(Math.max(1, attempt), wait, reason));
    await pause(wait, signal);
  }
}

/**
 * Reads the error that is the only frame of a refused turn: `rate_limit_exceeded`, `not_found`,
 * `feature_disabled`.
 */
function refused(data: string): StreamError {
  const { type, message, retryable } = JSON.parse(data) as {
    type?: string;
    message?: string;
    retryable?: boolean;
  };
  return new StreamError({
    message: message ?? 'The service has refused.',
    code: type ?? 'ERROR',
    retryable: retryable ?? false,
  });
}
