import { ConsiliumError } from '../domain/errors.js';
import {
  isTerminal,
  type EventName,
  type NamedEvent,
  type RunEvent,
} from '../domain/events/event.js';
import type { Report } from '../domain/diagnosis/finding.js';
import type { LimitOverrides } from '../domain/limits/limits.js';
import type { RunStatus } from '../domain/run.js';
import { Http } from './http.js';
import { backoffMs, pause } from './pause.js';
import { readFrames } from './read-frames.js';
import { StreamError } from './stream-error.js';

const BASE = '/api/service/v1';

/** An accepted run. `events` yields its whole log in order, up to the terminal event, also if connections are lost. */
export interface TriggeredRun {
  runId: string;
  events: AsyncGenerator<NamedEvent, void, undefined>;
}

export interface TriggerRequest {
  topologyId: number;
  /** The problem, as the person describes it. */
  userMessage: string;
  limits?: LimitOverrides;
  onDisconnect?: 'continue' | 'cancel';
}

export interface ChatRequest {
  message: string;
  /** The conversation to continue: `session_id` of an earlier `lifecycle.started`. Absent: a new conversation. */
  sessionId?: string;
  /** The exchange to continue, if it is not the last one: `context_id` of its `lifecycle.started`. */
  contextId?: string;
  topologyId?: number;
  /** The data that the person currently sees: a text, or any JSON. */
  context?: unknown;
}

export interface CallOptions {
  /** Stops waiting, reading and reconnecting. The run continues. */
  signal?: AbortSignal | undefined;
}

export interface StreamOptions extends CallOptions {
  /** Maximum of consecutive connections without an event. Default: no maximum. */
  attempts?: number;
}

export interface FollowOptions extends StreamOptions {
  /** The last known sequence. Default 0: from the beginning. */
  after?: number;
}

export interface TriggerOptions extends StreamOptions {
  /** A request with the same key and body joins the same run, so that a caller can repeat it without starting another run. */
  idempotencyKey?: string;
}

/** A model in the list of `GET /models`. */
export interface ModelRecord {
  name: string;
  description: string;
  default: boolean;
}

/** A topology in the list of `GET /topologies`. */
export interface TopologyRecord {
  id: number;
  name: string;
  description: string | null;
  version: number;
  nodeCount: number;
  teamCount: number;
  agentCount: number;
}

/** The response of `GET /executions/{runId}`. Contract section 3. */
export interface RunRecord {
  runId: string;
  status: RunStatus;
  partial: boolean;
  /** Codes of the reasons for a partial result, such as `LIMIT_REACHED` or `AI_ERROR`. */
  reasons: string[];
  /** The error of a failed run, otherwise null. */
  error: { code: string; message: string } | null;
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

/**
 * A client of the service's HTTP API, for Node and browsers. Each refused request throws a `ConsiliumError` with the code, message
 * and faults of the response. If the service is not reachable, the code is `UNAVAILABLE`. A stream that was cut is resumed. A
 * message is sent once and never repeated automatically.
 */
export class Client {
  readonly #http: Http;

  /**
   * @param url address of the service, without a path: `http://127.0.0.1:3000`
   * @throws TypeError if the URL is invalid
   */
  constructor(
    readonly url: string,
    { headers = {} }: { headers?: Record<string, string> } = {},
  ) {
    this.#http = new Http(url, headers);
  }

  /** Starts a run and follows it. Resolves once the service has accepted it. */
  async trigger(body: TriggerRequest, options: TriggerOptions = {}): Promise<TriggeredRun> {
    return this.#start(`${BASE}/executions/trigger`, body, options);
  }

  /** Starts a run without following it. @returns its id */
  async start(
    body: TriggerRequest,
    { idempotencyKey, signal }: { idempotencyKey?: string } & CallOptions = {},
  ): Promise<string> {
    const headers: Record<string, string> =
      idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    const path = `${BASE}/executions/trigger`;
    const run = await this.#http.json('POST', path, body, signal, headers);
    return (run as { runId: string }).runId;
  }

  /** Sends a message to the oracle and follows its answer, which is a run. The message is sent once. */
  async chat(
    { message, sessionId, contextId, topologyId, context }: ChatRequest,
    options: TriggerOptions = {},
  ): Promise<TriggeredRun> {
    const body = {
      message,
      session_id: sessionId,
      context_id: contextId,
      topology_id: topologyId,
      context,
    };
    return this.#start('/chat/stream', body, options);
  }

  /** Yields the log after `after`, then live events, up to the terminal event. Reconnects without gaps or duplicates. */
  follow(
    runId: string,
    { after = 0, ...options }: FollowOptions = {},
  ): AsyncGenerator<NamedEvent, void, undefined> {
    return this.#follow(runId, after, undefined, options);
  }

  /** Cancels a run. Resolves when the log is sealed. @throws ConsiliumError CANCEL_FAILED if the run had already ended */
  async cancel(runId: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#http.json('POST', `${BASE}/executions/cancel`, { runId }, signal);
  }

  async show(runId: string, { signal }: CallOptions = {}): Promise<RunRecord> {
    return (await this.#http.json(
      'GET',
      `${BASE}/executions/${encodeURIComponent(runId)}`,
      undefined,
      signal,
    )) as RunRecord;
  }

  /** Returns a stored topology. @throws ConsiliumError TOPOLOGY_NOT_FOUND */
  async topology(id: number, { signal }: CallOptions = {}): Promise<Record<string, unknown>> {
    return (await this.#http.json('GET', `${BASE}/topologies/${id}`, undefined, signal)) as Record<
      string,
      unknown
    >;
  }

  /** Returns all topologies. */
  async topologies({ signal }: CallOptions = {}): Promise<TopologyRecord[]> {
    const all: TopologyRecord[] = [];
    for (let cursor = ''; ;) {
      const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await this.#http.json(
        'GET',
        `${BASE}/topologies?limit=100${query}`,
        undefined,
        signal,
      )) as { items: TopologyRecord[]; nextCursor: string | null };
      all.push(...page.items);
      if (page.nextCursor === null) return all;
      cursor = page.nextCursor;
    }
  }

  /** Returns the models; `default` marks the model of agents that name none. */
  async models({ signal }: { signal?: AbortSignal } = {}): Promise<ModelRecord[]> {
    return (
      (await this.#http.json('GET', `${BASE}/models`, undefined, signal)) as {
        items: ModelRecord[];
      }
    ).items;
  }

  /** Stores a new topology. @throws ConsiliumError VALIDATION_FAILED with every fault, TOPOLOGY_EXISTS */
  async createTopology(topology: unknown, { signal }: CallOptions = {}): Promise<void> {
    await this.#http.json('POST', `${BASE}/topologies`, topology, signal);
  }

  async replaceTopology(
    id: number,
    topology: unknown,
    { signal }: CallOptions = {},
  ): Promise<void> {
    await this.#http.json('PUT', `${BASE}/topologies/${id}`, topology, signal);
  }

  async #start(
    path: string,
    body: object,
    { idempotencyKey, ...options }: TriggerOptions,
  ): Promise<TriggeredRun> {
    const { signal } = options;
    const headers: Record<string, string> =
      idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    const response = await this.#http.ask('POST', `${path}?format=executor`, {
      body,
      accept: 'text/event-stream',
      headers,
      signal,
    });
    const runId = response.headers.get('x-run-id') ?? '';
    return { runId, events: this.#follow(runId, 0, response, options) };
  }

  async *#follow(
    runId: string,
    after: number,
    first: Response | undefined,
    { signal, attempts = Infinity }: StreamOptions,
  ): AsyncGenerator<NamedEvent, void, undefined> {
    let last = after;
    let response = first;
    for (let attempt = 1; ; attempt++) {
      let wait = backoffMs(attempt, Math.random());
      try {
        response ??= await this.#events(runId, last, signal);
        if (response.status === 204) return;
        if (response.body === null) throw new Error('an answer without a body');
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
        if (error instanceof ConsiliumError)
          wait = Math.max(wait, (error.options.retryAfterSeconds ?? 0) * 1_000);
      }
      signal?.throwIfAborted();
      if (attempt >= attempts || runId === '')
        throw new ConsiliumError(
          'UNAVAILABLE',
          `The event stream of run ${runId} was cut and could not be resumed.`,
        );
      response = undefined;
      await pause(wait, signal);
    }
  }

  #events(runId: string, after: number, signal: AbortSignal | undefined): Promise<Response> {
    const path = `${BASE}/executions/${encodeURIComponent(runId)}/events?format=executor`;
    return this.#http.ask('GET', path, {
      accept: 'text/event-stream',
      signal,
      headers: { 'last-event-id': String(after) },
    });
  }
}

/** Reads the error that is the only frame of a refused turn: `rate_limit_exceeded`, `not_found`, `feature_disabled`. */
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
