import {
  jobIdOf,
  parentOf,
  QUEUE_NAMES,
  roleOf,
  type AgentJob,
  type AgentRole,
  type TopRole,
} from './job-ids.js';
import {
  JobLostError,
  JobParked,
  QueuePort,
  type ChildState,
  type ConsumerOptions,
  type QueueConsumer,
  type JobCount,
  type QueuedJob,
} from './queue-port.js';

interface Entry {
  id: string;
  data: AgentJob;
  role: AgentRole;
  state: JobCount['state'];
  token: number;
  /** ms since 1970. */
  addedAt: number;
  parent: Entry | undefined;
  children: Map<string, ChildState>;
  timer: NodeJS.Timeout | undefined;
}

interface Consumer extends ConsumerOptions {
  role: AgentRole;
  working: Set<Promise<void>>;
}

/**
 * Queues in the memory of this process, for tests without Redis. Jobs are never lost, so their
 * locks do not expire.
 */
export class MemoryQueue extends QueuePort {
  private readonly jobs = new Map<string, Entry>();
  private readonly consumers = new Set<Consumer>();
  private tokens = 0;

  /** @param concurrency jobs that one consumer runs at once */
  constructor(private readonly concurrency = 10) {
    super();
  }

  override async start(job: AgentJob, top: TopRole): Promise<void> {
    this.add(jobIdOf(job, top), job, top, undefined);
    const entry = this.jobs.get(jobIdOf(job, top));
    if (job.delayMs !== undefined && entry?.state === 'waiting') this.delay(entry, job.delayMs);
  }

  override async isQueued(runId: string, top: TopRole): Promise<boolean> {
    return this.jobs.has(jobIdOf({ runId, dispatchId: null }, top));
  }

  override async wake(jobIds: readonly string[]): Promise<string[]> {
    for (const id of jobIds) {
      const entry = this.jobs.get(id);
      if (entry?.state === 'delayed') this.ready(entry);
    }
    return jobIds.filter((id) => !this.jobs.has(id));
  }

  /** Timers do not depend on the clock. */
  override async endDelays(): Promise<void> {}

  override async revive(
    job: AgentJob & { dispatchId: string },
    reported: boolean,
  ): Promise<boolean> {
    const { runId, dispatchId } = job;
    const parent = this.jobs.get(jobIdOf({ runId, dispatchId: parentOf(dispatchId) }));
    if (this.jobs.has(jobIdOf(job)) || parent?.state !== 'waiting-children') return false;
    if (reported && parent.children.get(dispatchId) !== 'open') return false;
    this.add(jobIdOf(job), job, roleOf(dispatchId), parent);
    return true;
  }

  override async remove(
    runId: string,
    dispatchIds: readonly string[],
    top: TopRole,
  ): Promise<(string | null)[]> {
    const ids: (string | null)[] = [...dispatchIds.toSorted((a, b) => b.length - a.length), null];
    return ids.filter((dispatchId) => {
      const entry = this.jobs.get(jobIdOf({ runId, dispatchId }, top));
      if (!entry) return false;
      if (entry.state === 'active') return true;
      this.end(entry);
      return false;
    });
  }

  override async counts(): Promise<JobCount[]> {
    const states = ['waiting', 'active', 'delayed', 'waiting-children'] as const;
    const entries = [...this.jobs.values()];
    return Object.entries(QUEUE_NAMES).flatMap(([role, queue]) =>
      states.map((state) => ({
        queue,
        state,
        count: entries.filter((entry) => entry.role === role && entry.state === state).length,
      })),
    );
  }

  override async waitingSince(): Promise<Map<string, number>> {
    const waiting = [...this.jobs.values()].filter(({ state }) => state === 'waiting');
    return new Map(
      waiting.toReversed().map(({ role, addedAt }) => [QUEUE_NAMES[role], addedAt] as const),
    );
  }

  override consume(role: AgentRole, options: ConsumerOptions): QueueConsumer {
    const consumer = { ...options, role, working: new Set<Promise<void>>() };
    this.consumers.add(consumer);
    this.take();
    return {
      extendLocks: async () => [],
      close: async () => {
        this.consumers.delete(consumer);
        await Promise.all(consumer.working);
      },
      disconnect: async () => undefined,
    };
  }

  private add(id: string, data: AgentJob, role: AgentRole, parent: Entry | undefined): void {
    if (data.dispatchId !== null && parent?.children.get(data.dispatchId) !== 'ended')
      parent?.children.set(data.dispatchId, 'open');
    if (this.jobs.has(id)) return;
    const entry = {
      id,
      data,
      role,
      parent,
      ...NEW,
      addedAt: Date.now(),
      children: new Map(),
    };
    this.jobs.set(id, entry);
    this.take();
  }

  private ready(entry: Entry): void {
    clearTimeout(entry.timer);
    entry.state = 'waiting';
    this.take();
  }

  private delay(entry: Entry, ms: number): void {
    entry.state = 'delayed';
    entry.timer = setTimeout(() => this.ready(entry), ms);
    entry.timer.unref();
  }

  /** Gives waiting jobs to consumers, in a later turn of the event loop. */
  private take(): void {
    queueMicrotask(() => {
      const inOrder = [...this.jobs.values()].toSorted(
        (a, b) => (a.data.order ?? 0) - (b.data.order ?? 0),
      );
      for (const consumer of this.consumers)
        for (const entry of inOrder) {
          if (consumer.working.size >= this.concurrency) break;
          if (entry.state === 'waiting' && entry.role === consumer.role) this.work(consumer, entry);
        }
    });
  }

  private work(consumer: Consumer, entry: Entry): void {
    entry.state = 'active';
    entry.token = ++this.tokens;
    const job = new MemoryJob(entry, String(entry.token), this.handleOf(entry));
    const working = consumer
      .work(job)
      .then(
        () => this.done(entry),
        (error: Error) => {
          if (error instanceof JobParked) return;
          consumer.onFailed(entry.id, error);
          this.end(entry);
        },
      )
      .finally(() => {
        consumer.working.delete(working);
        this.take();
      });
    consumer.working.add(working);
  }

  private handleOf(entry: Entry): Handle {
    return {
      delay: (ms) => this.delay(entry, ms),
      release: () => this.ready(entry),
      add: (role, data) => this.add(jobIdOf(data), data, role, entry),
    };
  }

  /** A job whose work ended before its children comes back when they have ended. */
  private done(entry: Entry): void {
    if (hasOpen(entry)) entry.state = 'waiting-children';
    else this.end(entry);
  }

  private end(entry: Entry): void {
    clearTimeout(entry.timer);
    entry.token = 0;
    this.jobs.delete(entry.id);
    const { parent, data } = entry;
    if (!parent || data.dispatchId === null) return;
    parent.children.set(data.dispatchId, 'ended');
    if (parent.state === 'waiting-children' && !hasOpen(parent)) this.ready(parent);
  }
}

const NEW = { state: 'waiting' as const, token: 0, timer: undefined };

const hasOpen = ({ children }: Entry): boolean => [...children.values()].includes('open');

/** Operations of a job on its entry. */
interface Handle {
  delay(ms: number): void;
  release(): void;
  add(role: AgentRole, data: AgentJob): void;
}

class MemoryJob implements QueuedJob {
  readonly stalls = 0;

  constructor(
    private readonly entry: Entry,
    readonly token: string,
    private readonly handle: Handle,
  ) {}

  get id(): string {
    return this.entry.id;
  }

  get data(): AgentJob {
    return this.entry.data;
  }

  async delay(ms: number): Promise<never> {
    this.check();
    this.handle.delay(ms);
    throw new JobParked('delayed');
  }

  async release(): Promise<never> {
    this.check();
    this.handle.release();
    throw new JobParked('released');
  }

  async addChildren(role: 'team_supervisor' | 'worker', children: AgentJob[]): Promise<void> {
    this.check();
    for (const data of children) this.handle.add(role, data);
  }

  async children(): Promise<Map<string, ChildState>> {
    return new Map(this.entry.children);
  }

  async waitForChildren(): Promise<void> {
    this.check();
    if (!hasOpen(this.entry)) return;
    this.entry.state = 'waiting-children';
    throw new JobParked('waiting-children');
  }

  private check(): void {
    if (this.entry.state !== 'active' || String(this.entry.token) !== this.token)
      throw new JobLostError('this consumer does not hold the job');
  }
}
