import type { EventData, NamedEvent } from '../domain/events/event.js';
import { Http } from './http.js';
import { BASE, followRun, keyHeader, startRun } from './run-stream.js';
import type {
  ApprovalRecord,
  CallOptions,
  ChatRequest,
  ConversationCard,
  ConversationRecord,
  FollowOptions,
  ModelRecord,
  RunCard,
  RunFilter,
  RunRecord,
  StoredTopology,
  TopologyRecord,
  TriggeredRun,
  TriggerOptions,
  TriggerRequest,
} from './types.js';

/**
 * A client of the service's HTTP API, for Node and browsers. Each refused request throws a
 * `ConsiliumError` with the code, message and faults of the response. If the service is not
 * reachable, the code is `UNAVAILABLE`. A stream that was cut is resumed. A message is sent once
 * and never repeated automatically.
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
    return startRun(this.#http, `${BASE}/executions/trigger`, body, options);
  }

  /** Starts a run without following it. @returns its id */
  async start(
    body: TriggerRequest,
    { idempotencyKey, signal }: { idempotencyKey?: string } & CallOptions = {},
  ): Promise<string> {
    const path = `${BASE}/executions/trigger`;
    const headers = keyHeader(idempotencyKey);
    const run = await this.#http.json<{ runId: string }>('POST', path, { body, signal, headers });
    return run.runId;
  }

  /**
   * Sends a message to the oracle and follows its answer, which is a run. The message is sent once.
   */
  async chat(
    { message, sessionId, contextId, topologyId, context, onDisconnect }: ChatRequest,
    options: TriggerOptions = {},
  ): Promise<TriggeredRun> {
    const body = {
      message,
      session_id: sessionId,
      context_id: contextId,
      topology_id: topologyId,
      context,
      onDisconnect,
    };
    return startRun(this.#http, '/chat/stream', body, options);
  }

  /**
   * Yields the log after `after`, then live events, up to the terminal event. Reconnects without
   * gaps or duplicates.
   */
  follow(
    runId: string,
    { after = 0, ...options }: FollowOptions = {},
  ): AsyncGenerator<NamedEvent, void, undefined> {
    return followRun(this.#http, { runId, after }, options);
  }

  /**
   * Cancels a run. Resolves when the log is sealed.
   * @throws ConsiliumError CANCEL_FAILED if the run had already ended
   */
  async cancel(runId: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#http.json('POST', `${BASE}/executions/cancel`, { body: { runId }, signal });
  }

  /**
   * Returns the changes that a run proposes, in the order of its log.
   * @throws ConsiliumError RUN_NOT_FOUND
   */
  async approvals(runId: string, options: CallOptions = {}): Promise<ApprovalRecord[]> {
    const path = `/executions/${encodeURIComponent(runId)}/approvals`;
    return (await this.#get<{ items: ApprovalRecord[] }>(path, options)).items;
  }

  /**
   * Approves or refuses a change that a run proposes. The same decision may be sent again.
   * @param approval of the event `system.approval`, which the person has seen
   * @throws ConsiliumError APPROVAL_CLOSED, FORBIDDEN, NOT_FOUND
   */
  async decide(
    runId: string,
    { approval_id, args_digest }: Pick<EventData['system.approval'], 'approval_id' | 'args_digest'>,
    decision: { decision: 'approve' | 'deny'; reason?: string },
    { signal }: CallOptions = {},
  ): Promise<void> {
    const path = `${BASE}/executions/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(approval_id)}`;
    await this.#http.json('POST', path, { body: { ...decision, args_digest }, signal });
  }

  async show(runId: string, options: CallOptions = {}): Promise<RunRecord> {
    return this.#get(`/executions/${encodeURIComponent(runId)}`, options);
  }

  /** Returns the report of a run that has ended as Markdown. */
  async reportMarkdown(runId: string, { signal }: CallOptions = {}): Promise<string> {
    const path = `${BASE}/executions/${encodeURIComponent(runId)}/report.md`;
    const response = await this.#http.ask('GET', path, { accept: 'text/markdown', signal });
    return response.text();
  }

  /** Yields runs, newest first, and loads their pages as they are read. */
  runs(filter: RunFilter = {}, options: CallOptions = {}): AsyncGenerator<RunCard> {
    return this.#pages('/executions', { ...filter }, options);
  }

  /** Yields the caller's conversations, newest first, and loads their pages as they are read. */
  conversations(options: CallOptions = {}): AsyncGenerator<ConversationCard> {
    return this.#pages('/conversations', {}, options);
  }

  /**
   * Returns a conversation with its messages.
   * @throws ConsiliumError NOT_FOUND, also for another caller's
   */
  async conversation(id: string, options: CallOptions = {}): Promise<ConversationRecord> {
    return this.#get(`/conversations/${encodeURIComponent(id)}`, options);
  }

  /** Returns a stored topology. @throws ConsiliumError TOPOLOGY_NOT_FOUND */
  async topology(id: number, options: CallOptions = {}): Promise<StoredTopology> {
    return this.#get(`/topologies/${id}`, options);
  }

  /** Returns all topologies. */
  async topologies(options: CallOptions = {}): Promise<TopologyRecord[]> {
    const all: TopologyRecord[] = [];
    for await (const one of this.#pages<TopologyRecord>('/topologies', { limit: 100 }, options))
      all.push(one);
    return all;
  }

  /** Returns the models; `default` marks the model of agents that name none. */
  async models(options: CallOptions = {}): Promise<ModelRecord[]> {
    const { items } = await this.#get<{ items: ModelRecord[] }>('/models', options);
    return items;
  }

  /**
   * Stores a new topology.
   * @throws ConsiliumError VALIDATION_FAILED with every fault, TOPOLOGY_EXISTS
   */
  async createTopology(topology: unknown, { signal }: CallOptions = {}): Promise<StoredTopology> {
    return this.#http.json('POST', `${BASE}/topologies`, { body: topology, signal });
  }

  /**
   * Replaces a stored topology as a whole.
   * @throws ConsiliumError VALIDATION_FAILED with every fault, TOPOLOGY_NOT_FOUND
   */
  async replaceTopology(
    id: number,
    topology: unknown,
    { signal }: CallOptions = {},
  ): Promise<StoredTopology> {
    return this.#http.json('PUT', `${BASE}/topologies/${id}`, { body: topology, signal });
  }

  /** Deletes a topology. Its runs continue. @throws ConsiliumError TOPOLOGY_NOT_FOUND */
  async deleteTopology(id: number, { signal }: CallOptions = {}): Promise<void> {
    await this.#http.json('DELETE', `${BASE}/topologies/${id}`, { signal });
  }

  #get<T>(path: string, { signal }: CallOptions): Promise<T> {
    return this.#http.json<T>('GET', BASE + path, { signal });
  }

  async *#pages<T>(
    path: string,
    query: Record<string, string | number | undefined>,
    options: CallOptions,
  ): AsyncGenerator<T> {
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) asked.set(name, String(value));
    for (;;) {
      const page = await this.#get<{ items: T[]; nextCursor: string | null }>(
        `${path}?${asked.toString()}`,
        options,
      );
      yield* page.items;
      if (page.nextCursor === null) return;
      asked.set('cursor', page.nextCursor);
    }
  }
}
