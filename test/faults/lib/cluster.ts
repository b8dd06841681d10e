import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { QUEUE_NAMES } from '../../../src/queues/job-ids.js';
import { until } from '../../support/until.js';
import { builtFile } from '../../support/processes/built.js';
import type { ModelOrders, ToolOrders } from './scripted-fleet.js';
import { TestControl, type Observation } from './test-control.js';
import type { Vitals } from './vitals.js';

const ROOT = join(import.meta.dirname, '../../..');
const END_WITH_PARENT = pathToFileURL(join(ROOT, 'scripts/lib/end-with-parent.mjs')).href;

export type Env = Record<string, string>;

/** Short times: a lost job is found within 2 s. */
const QUICK: Env = {
  LOCK_MS: '1000',
  STALL_MS: '250',
  SWEEP_SECONDS: '1',
  HEARTBEAT_SECONDS: '1',
  SHUTDOWN_GRACE_SECONDS: '1',
};

/** A process of the service. */
export class NodeProcess {
  /** Its output. */
  said = '';
  /** Warnings of Node about too many listeners. */
  readonly warnings: string[] = [];

  private constructor(
    readonly role: string,
    private readonly child: ChildProcess,
  ) {
    const hear = (chunk: Buffer) =>
      void (this.said = (this.said + chunk.toString()).slice(-100_000));
    child.stdout?.on('data', hear);
    child.stderr?.on('data', (chunk: Buffer) => {
      hear(chunk);
      this.warnings.push(...(chunk.toString().match(/^.*MaxListenersExceededWarning.*$/gm) ?? []));
    });
  }

  /** Where it listens. */
  url = '';

  static async start(program: string, role: string, env: Env): Promise<NodeProcess> {
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    const child = spawn(process.execPath, ['--import', END_WITH_PARENT, program], {
      cwd: ROOT,
      env: { ...inherited, ...env, ROLE: role },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const node = new NodeProcess(role, child);
    node.url = await until(
      `a ${role} process that listens`,
      () => {
        if (!node.isAlive) throw new Error(`it ended before it listened:\n${node.said}`);
        return /listens on (http:\S+)/.exec(node.said)?.[1];
      },
      120_000,
    );
    return node;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Whether it ended with an error, without a signal. */
  get hasFailed(): boolean {
    return this.child.exitCode !== null && this.child.exitCode !== 0;
  }

  /**
   * Returns the resources that it holds now, undefined if it has ended. Waits for a paused process.
   * @param thoroughly whether it looks through its whole heap, too; see Vitals
   * @throws if it does not reply within two minutes
   */
  async vitals(thoroughly: boolean): Promise<Vitals | undefined> {
    if (!this.child.connected) return undefined;
    const answered = new AbortController();
    const signal = AbortSignal.any([answered.signal, AbortSignal.timeout(120_000)]);
    try {
      const answer = once(this.child, 'message', { signal }).then(([vitals]) => vitals as Vitals);
      const end = once(this.child, 'disconnect', { signal }).then(() => undefined);
      this.child.send({ thoroughly }, () => undefined);
      return await Promise.race([answer, end]);
    } catch (cause) {
      throw new Error(`the ${this.role} process ${this.pid} does not report what it holds`, {
        cause,
      });
    } finally {
      answered.abort();
    }
  }

  /** Sends a signal to this process; does not wait. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends it, and waits until it has ended. @returns its exit code, null after a signal */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    if (this.isAlive) {
      const ended = once(this.child, 'exit');
      this.child.kill(signal);
      await ended;
    }
    return this.child.exitCode;
  }

  /** Waits until it has ended by itself. */
  async ended(): Promise<void> {
    await until(`the end of process ${this.pid}`, () => !this.isAlive);
  }
}

/** Processes of the service on one store, and the control of their scripted tools and models. */
export class Cluster {
  readonly prefix = `faults-${randomUUID()}`;
  readonly control: TestControl;
  /** The store, as a test looks at it. */
  readonly store: Redis;
  readonly queues: Queue[];
  private readonly nodes: NodeProcess[] = [];

  /**
   * @param storeUrl of the Redis that the service is to use and that may be hurt; by default that
   *   of this test run
   * @param directUrl the same without any proxy between
   */
  constructor(
    private readonly storeUrl = process.env['TEST_REDIS_URL'] as string,
    directUrl = storeUrl,
    controlUrl = process.env['TEST_REDIS_URL'] as string,
  ) {
    this.control = new TestControl(controlUrl, this.prefix);
    this.store = new Redis(directUrl, { maxRetriesPerRequest: null });
    this.store.on('error', () => undefined);
    this.queues = Object.values(QUEUE_NAMES).map((name) => {
      const queue = new Queue(name, { connection: this.store, prefix: `{${this.prefix}}` });
      queue.on('error', () => undefined);
      return queue;
    });
  }

  async start(role: 'api' | 'worker' | 'all', env: Env = {}): Promise<NodeProcess> {
    const node = await NodeProcess.start(builtFile('test/faults/node.ts'), role, {
      PORT: '0',
      REDIS_URL: this.storeUrl,
      REDIS_PREFIX: this.prefix,
      TOPOLOGIES_DIR: join(ROOT, 'test/support'), // There are none.
      LOG_LEVEL: process.env['FAULTS_LOG'] ?? 'silent',
      CONTROL_URL: this.control.url,
      CONTROL_PREFIX: this.prefix,
      ...QUICK,
      ...env,
    });
    this.nodes.push(node);
    return node;
  }

  /** Waits for an observation, and returns the first that matches. */
  observed(wanted: Partial<Observation>, ms?: number): Promise<Observation> {
    return until(
      `the observation ${JSON.stringify(wanted)}`,
      async () => (await this.control.observations(wanted))[0],
      ms,
    );
  }

  /** The process of an observation. */
  processOf({ pid }: Observation): NodeProcess {
    const node = this.nodes.find((candidate) => candidate.pid === pid);
    if (!node) throw new Error(`no process of this cluster has the pid ${pid}`);
    return node;
  }

  /**
   * The output of all processes, including dead ones. With `FAULTS_LOG` in the environment, a log
   * level, it is kept in the temp folder.
   */
  get said(): string {
    return this.nodes.map(({ role, pid, said }) => `--- ${role} ${pid}\n${said}`).join('\n');
  }

  /** Warnings of Node about too many listeners, of all processes. */
  get warnings(): string[] {
    return this.nodes.flatMap(({ warnings }) => warnings);
  }

  /** Jobs of any state in all queues. */
  async jobs(): Promise<number> {
    const counts = await Promise.all(this.queues.map((queue) => queue.getJobCountByTypes()));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end()));
    if (process.env['FAULTS_LOG'] !== undefined)
      await writeFile(join(tmpdir(), `${this.prefix}.log`), this.said);
    // A test that failed may have left its Redis dead.
    if (this.store.status === 'ready') {
      await Promise.all(this.queues.map((queue) => queue.close()));
      await removeKeys(this.store, `*${this.prefix}*`);
    }
    this.store.disconnect();
    await this.control.close();
  }
}

async function removeKeys(redis: Redis, match: string): Promise<void> {
  for await (const keys of redis.scanStream({ match, count: 1_000 }) as AsyncIterable<string[]>)
    if (keys.length > 0) await redis.unlink(...keys);
}

/** A node for a scripted tool: `look` may be repeated, `touch` may not. */
export const scriptedNode = (kind: 'look' | 'touch', orders: ToolOrders) => ({
  kind,
  attributes: { ...orders },
});

/** A user's message with orders for the scripted model. */
export const say = (orders: ModelOrders): { userMessage: string } => ({
  userMessage: `Something seems wrong. #${JSON.stringify(orders)}`,
});
