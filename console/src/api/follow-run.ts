import {
  between,
  isTerminal,
  type Connection,
  type NamedEvent,
} from '../../../src/client/index.js';
import { ApiError, ask } from './http.js';
import { readStream } from './read-stream.js';

/** How a page is connected with the log of a run. */
export type LinkState = Connection | { state: 'ended' | 'missing' | 'gone' };

/** Whether the connection was lost, and will be tried again. */
export const isLost = (link: LinkState): link is Extract<Connection, { attempt: number }> =>
  link.state === 'waiting' || link.state === 'offline';

export interface RunListener {
  /** The last sequence that was read. */
  after: () => number;
  onBatch: (events: NamedEvent[]) => void;
  onState: (state: LinkState) => void;
  /** Something came: also a comment. */
  onHeard: () => void;
}

/**
 * After so much silence a stream is opened again; the service sends a comment at least every 15 s.
 */
const SILENCE_MS = 20_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** Half of the wait is a jitter, so that not all pages come back at once. */
const waitBefore = (attempt: number): number =>
  Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.75 + Math.random() / 4);

/**
 * Follows the log of a run up to its end, across lost connections, each event once. Stops when the
 * signal is aborted, and at answers that no patience changes: 404 (`missing`), 410 (`gone`).
 */
export async function followRun(
  runId: string,
  listener: RunListener,
  signal: AbortSignal,
): Promise<void> {
  let attempt = 0;
  listener.onState({ state: 'connecting' });
  for (;;) {
    let why = 'The connection was cut';
    let retryAfterMs = 0;
    try {
      const before = listener.after();
      const end = await readOnce(runId, listener, signal);
      if (end !== 'cut') return listener.onState({ state: end });
      if (listener.after() > before) attempt = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Silence) why = 'No data was received for 20 s';
      if (error instanceof ApiError) {
        why = error.status === 0 ? error.message : `The service answered ${error.status}`;
        retryAfterMs = (error.retryAfterSeconds ?? 0) * 1_000;
      }
    }
    attempt++;
    const wait = Math.max(retryAfterMs, waitBefore(attempt));
    listener.onState(between(attempt, wait, why));
    await pause(wait, signal);
    if (signal.aborted) return;
  }
}

class Silence extends Error {}

async function readOnce(
  runId: string,
  { after, onBatch, onState, onHeard }: RunListener,
  signal: AbortSignal,
): Promise<'ended' | 'missing' | 'gone' | 'cut'> {
  const silence = new AbortController();
  let watch = setTimeout(() => silence.abort(), SILENCE_MS);
  const heard = () => {
    clearTimeout(watch);
    watch = setTimeout(() => silence.abort(), SILENCE_MS);
    onHeard();
  };
  let ended = false;
  try {
    const response = await openEvents(runId, after(), AbortSignal.any([signal, silence.signal]));
    if (response.status === 204) return 'ended';
    if (!response.body) return 'cut';
    heard();
    onState({ state: 'open' });
    const take = (events: NamedEvent[]) => {
      onBatch(events);
      ended ||= events.some((event) => isTerminal(event.name));
    };
    await readStream(response.body, take, heard);
    return ended ? 'ended' : 'cut';
  } catch (error) {
    if (ended) return 'ended';
    if (error instanceof ApiError && error.status === 404) return 'missing';
    if (error instanceof ApiError && error.status === 410) return 'gone';
    if (silence.signal.aborted && !signal.aborted) throw new Silence();
    throw error;
  } finally {
    clearTimeout(watch);
  }
}

function openEvents(runId: string, after: number, signal: AbortSignal): Promise<Response> {
  const headers = {
    accept: 'text/event-stream',
    ...(after > 0 && { 'last-event-id': String(after) }),
  };
  return ask('GET', `executions/${encodeURIComponent(runId)}/events?format=executor`, {
    headers,
    signal,
  });
}

/** Waits; not for longer than the machine is offline. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { signal: over.signal });
    addEventListener('online', end, { signal: over.signal });
  });
}
