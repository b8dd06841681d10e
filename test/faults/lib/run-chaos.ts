import { setTimeout as sleep } from 'node:timers/promises';
import { startPrivateRedis } from '../../../src/local/private-redis.js';
import { TcpProxy } from '../../support/processes/tcp-proxy.js';
import { until } from '../../support/until.js';
import { ChaosLoad } from './chaos-load.js';
import { checkHistory, leftKeys } from './check-history.js';
import { checkLimiter } from './check-limiter.js';
import { checkTalk } from './check-talk.js';
import { Cluster } from './cluster.js';
import { Fleet, type Role } from './fleet.js';
import { describeGauges, judgeGauges, type Sample } from './gauges.js';
import { describeHoldings, judgeHoldings, takeHoldings, type Holdings } from './holdings.js';
import { HurtRedis } from './hurt-redis.js';
import { random } from './random.js';
import { takeSample } from './take-sample.js';

export interface ChaosOptions {
  /**
   * The same seed gives the same faults in the same order, and the same runs. How they coincide
   * depends on the machine.
   */
  seed: number;
  seconds: number;
  say: (line: string) => void;
}

export interface ChaosOutcome {
  /** Violated guarantees. */
  problems: string[];
  runs: number;
  /** How often each kind of fault was done. */
  faults: Record<string, number>;
  /** Number of runs that were resumed after a process was lost. */
  resumed: number;
  /** Chat messages that were accepted. */
  messages: number;
  /** Calls that the provider has refused with a pause. */
  refused: number;
  /**
   * How often an agent has given its slot back to wait for its model, of the last ten thousand
   * events of each queue.
   */
  parked: number;
  /** Memory and keys over time, and what was held before and after, in lines. */
  gauges: string[];
  /** What the processes have printed. */
  said: string;
}

/** Calls of the model at once, over all processes: fewer than agents want to make. */
const CONCURRENCY = 8;
const APIS = 2;
const WORKERS = 3;
/** Samples of memory and keys, over the whole time; the shortest pause between two, ms. */
const SAMPLES = 60;
const PAUSE_MS = 2_000;
/**
 * Time after the faults until all accepted runs must have ended, and until their resources must be
 * released; ms.
 */
const HEAL_MS = 90_000;
const LET_GO_MS = 30_000;

/**
 * Runs many diagnoses and chats, on a model with a limit whose provider refuses some calls for a
 * while, while processes are killed and paused, Redis is killed and restarted, and its connections
 * are cut, reset, delayed and frozen, or lose replies. Then all faults end, and every guarantee is
 * checked.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const control = await startPrivateRedis();
  const redis = await HurtRedis.start();
  const proxy = await TcpProxy.to(redis.url);
  const cluster = new Cluster(proxy.url, redis.url, control.url);
  try {
    return await new ChaosRun(options, cluster, redis, proxy).run();
  } finally {
    await cluster.close();
    await proxy.close();
    await redis.close();
    await control.stop();
  }
}

class ChaosRun {
  private readonly dice: () => number;
  private readonly fleet: Fleet;
  private readonly samples: Sample[] = [];
  private readonly load: ChaosLoad;
  private readonly faults: Record<string, number> = {};
  private readonly failures: string[] = [];
  private readonly over = new AbortController();

  constructor(
    private readonly options: ChaosOptions,
    private readonly cluster: Cluster,
    private readonly redis: HurtRedis,
    private readonly proxy: TcpProxy,
  ) {
    this.dice = random(options.seed);
    this.fleet = new Fleet(cluster, { MODEL_CONCURRENCY: String(CONCURRENCY) });
    this.load = new ChaosLoad(() => this.fleet.anyApi, this.over.signal);
  }

  async run(): Promise<ChaosOutcome> {
    const { seconds, say } = this.options;
    await this.fleet.start([
      ...Array<Role>(APIS).fill('api'),
      ...Array<Role>(WORKERS).fill('worker'),
    ]);
    const before = await this.hold(true);
    const keeper = this.fleet.keep();
    const end = Date.now() + seconds * 1_000;
    // Separate random numbers, so that the faults do not depend on the speed of the runs.
    await Promise.all([
      this.load.begin(end, random(this.options.seed + 1)),
      this.harm(end),
      this.measure(end),
    ]);
    say('healing');
    this.proxy.mend();
    this.proxy.reset();
    await this.settle();
    say('all has ended');
    this.fleet.stopKeeping();
    await keeper;
    const problems = await this.judge();
    problems.forEach((problem) => say(problem));
    const after = await this.release(before);
    problems.push(
      ...this.failures,
      ...this.load.failures,
      ...this.fleet.failures,
      ...this.cluster.warnings,
    );
    problems.push(...judgeGauges(this.samples), ...judgeHoldings(before, after));
    const { runs, talks } = this.load;
    const observations = await this.cluster.control.observations({ event: 'model-refused' });
    return {
      problems,
      runs: runs.length,
      faults: this.faults,
      resumed: runs.filter(({ log }) => log.includes('AGENT_RESUMED')).length,
      messages: talks.reduce((sum, { turns }) => sum + turns.length, 0),
      refused: observations.length,
      parked: await this.countParked(),
      gauges: [
        describeGauges(this.samples),
        'before:',
        ...describeHoldings(before),
        'after:',
        ...describeHoldings(after),
      ],
      said: this.cluster.said,
    };
  }

  private async harm(end: number): Promise<void> {
    while (Date.now() < end) {
      await sleep(500 + this.dice() * 2_000);
      if (Date.now() < end) await this.oneFault();
    }
  }

  private async oneFault(): Promise<void> {
    const { proxy, redis, dice } = this;
    const faults: Record<string, () => unknown> = {
      'kill a worker': () => this.tell('worker', 'SIGKILL'),
      'kill a worker again': () => this.tell('worker', 'SIGKILL'),
      'kill an API node': () => this.tell('api', 'SIGKILL'),
      'end a worker': () => this.tell('worker', 'SIGTERM'),
      'end an API node': () => this.tell('api', 'SIGTERM'),
      'pause a worker past its locks': () => this.pause('worker', 1_500 + dice() * 2_000),
      'pause an API node': () => this.pause('api', 1_000),
      'kill Redis': async () => {
        await redis.kill();
        await sleep(dice() * 2_000);
        await redis.restart();
      },
      'reset connections': () => proxy.reset(),
      'lose answers': () => proxy.loseAnswers(/evalsha/i, 1 + Math.floor(dice() * 4)),
      'lose an answer in silence': () => proxy.loseAnswers(/evalsha/i, 1, 'silence'),
      cut: () => this.forAWhile(() => proxy.cut(), dice() * 3_000),
      delay: () => this.forAWhile(() => proxy.delay(20 + dice() * 80), 2_000),
      hold: () => this.forAWhile(() => proxy.hold(), dice() * 2_500),
      'half-open': () => this.forAWhile(() => proxy.swallow(), dice() * 500),
    };
    const names = Object.keys(faults);
    const name = names[Math.floor(dice() * names.length)] as string;
    this.options.say(name);
    this.faults[name] = (this.faults[name] ?? 0) + 1;
    await faults[name]?.();
  }

  private async forAWhile(begin: () => void, ms: number): Promise<void> {
    begin();
    await sleep(ms);
    this.proxy.mend();
  }

  private async pause(role: Role, ms: number): Promise<void> {
    const node = this.fleet.choose(role, this.dice, false);
    node?.signal('SIGSTOP');
    await sleep(ms);
    node?.signal('SIGCONT');
  }

  private tell(role: Role, signal: NodeJS.Signals): void {
    this.fleet.choose(role, this.dice, true)?.signal(signal);
  }

  private async measure(end: number): Promise<void> {
    const pause = Math.max(PAUSE_MS, (end - Date.now()) / SAMPLES);
    while (Date.now() + pause < end) {
      await sleep(pause);
      const { cluster, fleet } = this;
      const { runs, endedAt } = this.load;
      const sample = takeSample({ cluster, spared: fleet.spared, runs, endedAt });
      await sample.then(
        (taken) => this.samples.push(taken),
        (error: unknown) => this.failures.push(`nothing could be measured: ${String(error)}`),
      );
    }
  }

  /** Waits until all accepted runs have ended and their cancels are answered. */
  private async settle(): Promise<void> {
    const patience = setTimeout(
      () => this.over.abort(new Error('it did not end after the faults were over')),
      HEAL_MS,
    );
    await this.load.settle();
    clearTimeout(patience);
  }

  private async judge(): Promise<string[]> {
    const { cluster, load } = this;
    for (const run of load.runs) {
      const entries = await cluster.store.xrange(`${cluster.prefix}:{${run.runId}}:log`, '-', '+');
      run.log = entries.map(([, fields]) => fields[1] ?? '').join('');
    }
    for (const run of load.runs.filter(({ cancel }) => cancel === 200))
      run.quiesced = await until('it is quiesced', () => load.isQuiesced(run.runId)).catch(
        () => false,
      );
    const problems = checkHistory(load.runs, await cluster.control.observations());
    for (const talk of load.talks) problems.push(...checkTalk(talk, await load.shown(talk)));
    await until('no job is left', async () => (await cluster.jobs()) === 0, 30_000).catch(
      (error: unknown) => problems.push(String(error)),
    );
    const early = new Set(
      load.runs
        .filter(({ log }) => !log.includes('event: lifecycle.completed'))
        .map(({ runId }) => runId),
    );
    const left = await until('no key is left', async () => {
      const keys = await leftKeys(cluster.store, cluster.prefix, early);
      return keys.length === 0 ? 'none' : undefined;
    }).catch(async () => leftKeys(cluster.store, cluster.prefix, early));
    const model = { name: 'runbook', limits: { concurrency: CONCURRENCY } };
    problems.push(...(await checkLimiter(cluster.store, cluster.prefix, model, HEAL_MS)));
    if (left !== 'none') problems.push(`keys are left: ${left.slice(0, 10).join(', ')}`);
    return problems;
  }

  private async countParked(): Promise<number> {
    const { queues, store } = this.cluster;
    const read = queues.map((queue) => store.xrange(queue.toKey('events'), '-', '+'));
    const events = (await Promise.all(read)).flat();
    return events.filter(([, fields]) => fields[1] === 'delayed').length;
  }

  private hold(thoroughly: boolean): Promise<Holdings> {
    // A heap snapshot takes a second, so only the spared processes take one.
    return takeHoldings(
      this.fleet.processes,
      this.cluster.store,
      thoroughly ? this.fleet.spared : [],
    );
  }

  /**
   * Waits until nothing more is held than before, if that comes to be.
   * @returns what is held then
   */
  private async release(before: Holdings): Promise<Holdings> {
    const isLetGo = async () => judgeHoldings(before, await this.hold(false)).length === 0;
    await until('all is let go', isLetGo, LET_GO_MS).catch(() => undefined);
    return this.hold(true).catch((error: unknown) => {
      this.failures.push(String(error));
      return { processes: [], connections: {}, channels: [] };
    });
  }
}
