import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOracle } from './chat-client.js';
import type { Accepted } from './load-report.js';
import { outcomeOf } from './outcome.js';
import type { ServiceGroup } from './service-group.js';

/** Clients of each kind, at work all the time. */
const DIAGNOSERS = 12;
const TALKERS = 4;
/** Between two alerts; ms. */
const ALERT_MS = 500;
/** Different alerts; each fires again and again. */
const ALERTS = 20;

const kind = (): Accepted => ({ accepted: 0, lost: 0, took: [] });

/**
 * Clients of a service under load. What was accepted and does not end as it should is lost, and a
 * problem.
 */
export class MixedClients {
  readonly kinds = { runs: kind(), chats: kind(), 'runs of alerts': kind() };
  readonly problems: string[] = [];
  /** Runs that another process went on with. */
  resumed = 0;
  private alerts = 0;
  /** Runs of alerts, each followed to its end once. */
  private readonly alerted = new Map<string, Promise<void>>();

  /**
   * @param group its topologies 1 and 2 are diagnosed
   * @param end ms: nothing is begun after it
   */
  constructor(
    private readonly group: ServiceGroup,
    private readonly end: number,
  ) {}

  get progress(): string {
    const { runs, chats, 'runs of alerts': alerted } = this.kinds;
    return `${runs.took.length} of ${runs.accepted} runs, ${chats.took.length} of ${chats.accepted} chats, ${this.alerts} alerts in ${alerted.accepted} runs`;
  }

  /**
   * Works until the end, and waits for all that was accepted.
   * @throws the reason if that takes too long
   */
  async run(): Promise<void> {
    await Promise.all([
      ...Array.from({ length: DIAGNOSERS }, () => this.diagnose()),
      ...Array.from({ length: TALKERS }, (_, i) => this.talk(i)),
      this.alert(),
    ]);
    await Promise.all(this.alerted.values());
  }

  private async diagnose(): Promise<void> {
    while (Date.now() < this.end) {
      const body = { topologyId: 1, userMessage: 'Is anything wrong?' };
      const since = performance.now();
      const runId = await this.group.client.trigger(body, randomUUID());
      await this.follow(this.kinds.runs, runId, since);
    }
  }

  /** Two clients follow a run, over whichever processes: both must see the same bytes. */
  private async follow(of: Accepted, runId: string, since: number): Promise<void> {
    of.accepted++;
    const logs = ['', ''];
    await Promise.all(
      logs.map((_, i) => this.group.client.follow(runId, (seen) => (logs[i] = seen))),
    );
    of.took.push(performance.now() - since);
    const [log = '', other = ''] = logs;
    if (log.includes('AGENT_RESUMED')) this.resumed++;
    const { problems } = outcomeOf(log);
    if (log !== other) problems.push('two followers saw different logs');
    if (problems.length > 0) of.lost++;
    this.problems.push(...problems.map((problem) => `${runId}: ${problem}`));
  }

  private async talk(index: number): Promise<void> {
    const { group, kinds } = this;
    const caller = `scale-0123456789abcdef-${index}`;
    for (let n = 0; Date.now() < this.end; n++) {
      const ask = { caller, key: `${caller}-${n}`, message: 'Which topologies are there?' };
      const since = performance.now();
      kinds.chats.accepted++;
      const status = await askOracle(() => group.anyApi(), ask, group.over.signal);
      kinds.chats.took.push(performance.now() - since);
      if (status === 'completed') continue;
      kinds.chats.lost++;
      this.problems.push(`a chat ended as ${status}`);
    }
  }

  private async alert(): Promise<void> {
    for (let n = 0; Date.now() < this.end; n++) {
      const labels = { consilium_topology: '2', n: String(n % ALERTS) };
      const body = JSON.stringify({ alerts: [{ title: 'Slow', id: `a${n % ALERTS}`, labels }] });
      const since = performance.now();
      // As its senders do: again, until it is taken.
      const response = await fetch(`${this.group.anyApi()}/api/service/v1/alerts/generic`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      }).catch(() => undefined);
      const text = (await response?.text().catch(() => '')) ?? '';
      if (response?.status === 202) this.noteAlert(text, since);
      else if (response && response.status < 500)
        this.problems.push(`an alert was answered ${response.status}`);
      await sleep(ALERT_MS);
    }
  }

  private noteAlert(text: string, since: number): void {
    if (text === '') return;
    this.alerts++;
    const { data } = JSON.parse(text) as { data: { runs: { runId: string }[] } };
    for (const { runId } of data.runs)
      if (!this.alerted.has(runId))
        this.alerted.set(runId, this.follow(this.kinds['runs of alerts'], runId, since));
  }
}
