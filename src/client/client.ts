import { setTimeout as sleep } from 'node:timers/promises';
import { ConsiliumError, type ErrorCode, type Fault } from '../domain/errors.js';
import { isTerminal, type EventName, type RunEvent, type NamedEvent } from '../domain/event.js';
import type { Report } from '../domain/finding.js';
import type { RunStatus } from '../domain/run.js';
import { readFrames } from './read-frames.js';

const BASE = '/api/service/v1';
/** How often a stream that gives nothing new is opened again before a person is told. */
const MOST_ATTEMPTS = 8;

/** A run that was accepted. `events` is its whole log, in order, up to its terminal event, across lost connections. */
export interface TriggeredRun {
  runId: string;
  events: AsyncGenerator<NamedEvent>;
}

/** What `GET /executions/{runId}` says. Contract section 3. */
export interface RunRecord {
  runId: string;
  status: RunStatus;
  partial: boolean;
  topologyId: number | null;
  topologyVersion: number | null;
  userMessage: string;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  lastSequence: number;
  summary: string | null;
  report: Report | null;
}

interface Envelope {
  code: string;
  message: string;
  data: unknown;
}

/**
 * A client of the service's HTTP API. Every refusal is a `ConsiliumError` with the answer's code, message and faults; a
 * service that cannot be reached is one with `UNAVAILABLE`.
 */
export class Client {
  readonly #base: string;

  /** @param url where the service listens, without a path: `http://127.0.0.1:3000` */
  constructor(readonly url: string) {
    this.#base = url.replace(/\/+$/, '') + BASE;
  }

  /** Starts a run and follows it. Resolves once the service has accepted it. */
  async trigger(body: { topologyId: number; userMessage: string }, signal?: AbortSignal): Promise<TriggeredRun> {
    const response = await this.#ask('POST', '/executions/trigger', { body, accept: 'text/event-stream', signal });
    const runId = response.headers.get('x-run-id');
    if (runId === null) throw new ConsiliumError('INTERNAL_ERROR', `${this.url} answered without an X-Run-Id: is it a Consilium service?`);
    return { runId, events: this.#follow(runId, 0, response, signal) };
  }

  /** The log after `after` (0: all of it), then live, up to the terminal event. Reconnects with `Last-Event-ID` when cut. */
  follow(runId: string, after = 0, signal?: AbortSignal): AsyncGenerator<NamedEvent> {
    return this.#follow(runId, after, undefined, signal);
  }

  /** Resolves when the log is sealed. @throws ConsiliumError CANCEL_FAILED when the run had ended before */
  async cancel(runId: string): Promise<void> {
    await this.#json('POST', '/executions/cancel', { runId });
  }

  async show(runId: string): Promise<RunRecord> {
    return (await this.#json('GET', `/executions/${encodeURIComponent(runId)}`)) as RunRecord;
  }

  /** The stored topology. @throws ConsiliumError TOPOLOGY_NOT_FOUND */
  async topology(id: number): Promise<Record<string, unknown>> {
    return (await this.#json('GET', `/topologies/${id}`)) as Record<string, unknown>;
  }

  /** @throws ConsiliumError VALIDATION_FAILED with every fault, TOPOLOGY_EXISTS */
  async createTopology(topology: unknown): Promise<void> {
    await this.#json('POST', '/topologies', topology);
  }

  async replaceTopology(id: number, topology: unknown): Promise<void> {
    await this.#json('PUT', `/topologies/${id}`, topology);
  }

  async *#follow(runId: string, after: number, first: Response | undefined, signal?: AbortSignal): AsyncGenerator<NamedEvent> {
    let last = after;
    let response = first;
    for (let attempt = 1; ; attempt++) {
      try {
        response ??= await this.#events(runId, last, signal);
        if (response.status === 204) return;
        if (response.body === null) throw new Error('an answer without a body');
        for await (const { event: name, data } of readFrames(response.body)) {
          const event = JSON.parse(data) as RunEvent;
          if (event.sequence <= last) continue;
          [last, attempt] = [event.sequence, 0];
          yield { ...event, name: name as EventName } as NamedEvent;
          if (isTerminal(name ?? '')) return;
        }
      } catch (error) {
        signal?.throwIfAborted();
        const passing = !(error instanceof ConsiliumError) || error.code === 'UNAVAILABLE';
        if (!passing || attempt >= MOST_ATTEMPTS) throw error;
      }
      if (attempt >= MOST_ATTEMPTS)
        throw new ConsiliumError('UNAVAILABLE', `The event stream of run ${runId} was cut and could not be resumed.`);
      response = undefined;
      await sleep(Math.min(100 * 2 ** attempt, 3000), undefined, signal ? { signal } : {});
    }
  }

  #events(runId: string, after: number, signal?: AbortSignal): Promise<Response> {
    const path = `/executions/${encodeURIComponent(runId)}/events`;
    return this.#ask('GET', path, { accept: 'text/event-stream', signal, headers: { 'last-event-id': String(after) } });
  }

  async #json(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await this.#ask(method, path, { body, accept: 'application/json', signal: AbortSignal.timeout(30_000) });
    return ((await response.json()) as Envelope).data;
  }

  async #ask(
    method: string,
    path: string,
    options: { body?: unknown; accept: string; signal?: AbortSignal | undefined; headers?: Record<string, string> },
  ): Promise<Response> {
    const { body, accept, signal, headers } = options;
    let response: Response;
    try {
      response = await fetch(this.#base + path, {
        method,
        headers: { accept, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      if (signal?.aborted === true && (signal.reason as Error).name === 'AbortError') throw cause;
      throw new ConsiliumError('UNAVAILABLE', `No answer from ${this.url}: is the service running there?`, { cause });
    }
    if (!response.ok) throw await refusal(response, this.url);
    return response;
  }
}

/** The answer of a service that refuses, as an error. */
async function refusal(response: Response, url: string): Promise<ConsiliumError> {
  const text = await response.text();
  try {
    const { code, message, data } = JSON.parse(text) as Envelope;
    if (typeof code !== 'string' || typeof message !== 'string') throw new TypeError('no envelope');
    const faults = (data as { errors?: Fault[] } | null)?.errors;
    return new ConsiliumError(code as ErrorCode, message, faults ? { faults } : {});
  } catch {
    return new ConsiliumError('INTERNAL_ERROR', `${url} answered ${response.status}, but not as a Consilium service does.`);
  }
}
