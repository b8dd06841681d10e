import { setTimeout as sleep } from 'node:timers/promises';

const BASE = '/api/service/v1';
const PAUSE_MS = 100;

/**
 * A client that never gives up: every request goes to any node, again and again until there is an
 * answer that counts.
 */
export class PatientClient {
  /**
   * @param anyNode the URL of some API node that may be alive
   * @param own headers of every request
   */
  constructor(
    private readonly anyNode: () => string | undefined,
    private readonly signal: AbortSignal,
    private readonly own: Record<string, string> = {},
  ) {}

  async createTopology(topology: object): Promise<void> {
    // 409: it was created, and the answer was lost.
    await this.ask('POST', '/topologies', { body: topology, done: [201, 409] });
  }

  /** @returns the run's id */
  async trigger(body: object, key: string): Promise<string> {
    const answer = await this.ask('POST', '/executions/trigger', {
      body,
      done: [202],
      headers: { 'idempotency-key': key },
    });
    return (JSON.parse(answer.text) as { data: { runId: string } }).data.runId;
  }

  /** Sends a message to the oracle. @returns the id of the run that answers it */
  async chat(body: object, key: string): Promise<string> {
    for (;;) {
      this.signal.throwIfAborted();
      const headers = { ...this.own, 'content-type': 'application/json', 'idempotency-key': key };
      const gone = new AbortController();
      const signal = AbortSignal.any([this.signal, gone.signal, AbortSignal.timeout(8_000)]);
      const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
      const response = await fetch(`${this.anyNode()}/chat/stream`, init).catch(() => undefined);
      const runId = response?.headers.get('x-run-id');
      const text = response && !runId ? await response.text().catch(() => '') : '';
      gone.abort();
      if (runId) return runId;
      if (response && response.status < 500)
        throw new Refused(`a chat was answered ${response.status}: ${text.slice(0, 300)}`);
      await sleep(PAUSE_MS);
    }
  }

  /** A conversation as it is shown; undefined if there is none. */
  async conversation(id: string): Promise<unknown> {
    const { text } = await this.ask('GET', `/conversations/${id}`, { done: [200, 404] });
    return (JSON.parse(text) as { data?: unknown }).data;
  }

  /** @returns the status of the answer */
  async cancel(runId: string): Promise<number> {
    return (await this.ask('POST', '/executions/cancel', { body: { runId }, done: [200, 409] }))
      .status;
  }

  /** Whether nothing of an ended run is alive any more, as the service says. */
  async isQuiesced(runId: string): Promise<boolean> {
    const { text } = await this.ask('GET', `/executions/${runId}`, { done: [200] });
    return (JSON.parse(text) as { data: { quiesced: boolean } }).data.quiesced;
  }

  /**
   * Follows a run to its end, over as many connections as that takes. `seen` gets everything so
   * far, in whole frames.
   */
  async follow(runId: string, seen: (log: string) => void): Promise<void> {
    let log = '';
    for (;;) {
      this.signal.throwIfAborted();
      try {
        log += await this.readOnce(runId, Number(/.*^id: (\d+)$/ms.exec(log)?.[1] ?? 0));
        seen(log);
        if (/^event: lifecycle\.(completed|failed|cancelled)$/m.test(log)) return;
      } catch {
        this.signal.throwIfAborted();
      }
      await sleep(PAUSE_MS);
    }
  }

  /** The whole frames that come until the connection ends, however it does. */
  private async readOnce(runId: string, after: number): Promise<string> {
    const headers = { ...this.own, accept: 'text/event-stream', 'last-event-id': String(after) };
    const response = await fetch(`${this.anyNode()}${BASE}/executions/${runId}/events`, {
      headers,
      signal: this.signal,
    });
    if (response.status !== 200 || !response.body) return '';
    let text = '';
    try {
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (/^event: lifecycle\.(completed|failed|cancelled)$/m.test(text) && text.endsWith('\n\n'))
          break;
      }
    } catch {
      // Cut: what has come whole counts.
    }
    const whole = text.slice(0, text.lastIndexOf('\n\n') + 2).split(/(?<=\n\n)/);
    return whole.filter((frame) => frame.startsWith('event: ')).join('');
  }

  private async ask(
    method: string,
    path: string,
    {
      body,
      done,
      headers = {},
    }: { body?: object; done: number[]; headers?: Record<string, string> },
  ): Promise<{ status: number; text: string }> {
    for (;;) {
      this.signal.throwIfAborted();
      try {
        const signal = AbortSignal.any([this.signal, AbortSignal.timeout(8_000)]);
        const init = {
          method,
          ...(body && { body: JSON.stringify(body) }),
          headers: {
            ...this.own,
            'content-type': 'application/json',
            accept: 'application/json',
            ...headers,
          },
        };
        const response = await fetch(`${this.anyNode()}${BASE}${path}`, { ...init, signal });
        const text = await response.text();
        if (done.includes(response.status)) return { status: response.status, text };
        if (response.status !== 503)
          throw new Refused(
            `${method} ${path} was answered ${response.status}: ${text.slice(0, 300)}`,
          );
      } catch (error) {
        if (error instanceof Refused) throw error;
        this.signal.throwIfAborted();
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** An answer that no fault of the surroundings excuses. */
class Refused extends Error {
  override readonly name = 'Refused';
}
