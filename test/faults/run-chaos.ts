import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPrivateRedis } from '../../src/local/private-redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { teamOfEach } from '../support/topology.js';
import { until } from '../support/until.js';
import { checkHistory, leftKeys, type RunHistory } from './check-history.js';
import { Cluster, scriptedNode, say } from './cluster.js';
import { Fleet, type Role } from './fleet.js';
import { describeGauges, judgeGauges, type Sample } from './gauges.js';
import { describeHoldings, judgeHoldings, takeHoldings, type Holdings } from './holdings.js';
import { HurtRedis } from './hurt-redis.js';
import { PatientClient } from './patient-client.js';
import { random } from './random.js';
import { takeSample } from './take-sample.js';

export interface ChaosOptions {
  /** The same seed gives the same faults in the same order, and the same runs. How they coincide depends on the machine. */
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
  /** Memory and keys over time, and what was held before and after, in lines. */
  gauges: string[];
  /** What the processes have printed. */
  said: string;
}

/** Runs that are open at once, at most. */
const MOST_OPEN = 20;
const APIS = 2;
const WORKERS = 3;
/** Samples of memory and keys, over the whole time; the shortest pause between two, ms. */
const [SAMPLES, PAUSE_MS] = [60, 2_000];
/** Time after the faults until all accepted runs must have ended, and until their resources must be released; ms. */
const [HEAL_MS, LET_GO_MS] = [90_000, 30_000];

/**
 * Runs many diagnoses while processes are killed and paused, Redis is killed and restarted, and its connections are cut, reset,
 * delayed and frozen, or lose replies. Then all faults end, and every guarantee is checked.
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
  /** When runs have ended, ms. */
  private readonly endedAt = new Map<string, number>();
  private readonly runs: RunHistory[] = [];
  private readonly open = new Set<Promise<void>>();
  private readonly faults: Record<string, number> = {};
  private readonly failures: string[] = [];
  private readonly over = new AbortController();
  private readonly client = new PatientClient(() => this.fleet.anyApi, this.over.signal);

  constructor(
    private readonly options: ChaosOptions,
    private readonly cluster: Cluster,
    private readonly redis: HurtRedis,
    private readonly proxy: TcpProxy,
  ) {
    this.dice = random(options.seed);
    this.fleet = new Fleet(cluster);
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
      this.load(end, random(this.options.seed + 1)),
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
    problems.push(...this.failures, ...this.fleet.failures, ...this.cluster.warnings);
    problems.push(...judgeGauges(this.samples), ...judgeHoldings(before, after));
    const resumed = this.runs.filter(({ log }) => log.includes('AGENT_RESUMED')).length;
    return {
      problems,
      runs: this.runs.length,
      faults: this.faults,
      resumed,
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

  private async load(end: number, dice: () => number): Promise<void> {
    for (let n = 0; Date.now() < end; n++) {
      const run = this.oneRun(n, random(Math.floor(dice() * 2 ** 32)));
      const tracked: Promise<void> = run
        .catch(
          (error: unknown) =>
            void (this.over.signal.aborted || this.failures.push(`run ${n}: ${String(error)}`)),
        )
        .finally(() => this.open.delete(tracked));
      this.open.add(tracked);
      await sleep(50 + dice() * 250);
      while (this.open.size >= MOST_OPEN && Date.now() < end) await sleep(50);
    }
  }

  /** Follows a run from its trigger to its end, through all faults. */
  private async oneRun(n: number, dice: () => number): Promise<void> {
    const name = `n${n}`;
    const unsafe: RunHistory['unsafe'] = [];
    const tools: string[] = [];
    const nodes = Object.fromEntries(
      Array.from({ length: 1 + Math.floor(dice() * 4) }, (_, i) => {
        const [node, mark, takes] = [`x${i}`, `${name} x${i}`, Math.floor(dice() * 300)];
        const kind = dice() < 0.6 ? 'touch' : 'look';
        tools.push(mark);
        if (kind === 'touch') unsafe.push({ node, mark });
        return [
          node,
          scriptedNode(kind, { mark, takes, ...(dice() < 0.02 && { kills: 1 }) }),
        ] as const;
      }),
    );
    const topology = { ...teamOfEach(nodes), id: 100_000 + n };
    await this.client.createTopology(topology);
    const body = {
      topologyId: topology.id,
      ...say({ mark: name, slow: Math.floor(dice() * 30) }),
    };
    const run: RunHistory = {
      runId: await this.client.trigger(body, randomUUID()),
      log: '',
      seen: '',
      unsafe,
      tools,
    };
    this.runs.push(run);
    const cancelled =
      dice() < 0.2 ? sleep(dice() * 2_000).then(() => this.cancel(run.runId)) : undefined;
    await this.client.follow(run.runId, (log) => (run.seen = log));
    if (cancelled) Object.assign(run, await cancelled);
    this.endedAt.set(run.runId, Date.now());
  }

  private async cancel(runId: string): Promise<Pick<RunHistory, 'cancel' | 'cancelledAt'>> {
    return { cancel: await this.client.cancel(runId), cancelledAt: Date.now() };
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
      const { cluster, fleet, runs, endedAt } = this;
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
    while (this.open.size > 0) await Promise.all(this.open);
    clearTimeout(patience);
  }

  private async judge(): Promise<string[]> {
    const { cluster } = this;
    for (const run of this.runs) {
      const entries = await cluster.store.xrange(`${cluster.prefix}:{${run.runId}}:log`, '-', '+');
      run.log = entries.map(([, fields]) => fields[1] ?? '').join('');
    }
    for (const run of this.runs.filter(({ cancel }) => cancel === 200))
      run.quiesced = await until('it is quiesced', () => this.client.isQuiesced(run.runId)).catch(
        () => false,
      );
    const problems = checkHistory(this.runs, await cluster.control.observations());
    await until('no job is left', async () => (await cluster.jobs()) === 0, 30_000).catch(
      (error: unknown) => problems.push(String(error)),
    );
    const early = new Set(
      this.runs
        .filter(({ log }) => !log.includes('event: lifecycle.completed'))
        .map(({ runId }) => runId),
    );
    const left = await until('no key is left', async () => {
      const keys = await leftKeys(cluster.store, cluster.prefix, early);
      return keys.length === 0 ? 'none' : undefined;
    }).catch(async () => leftKeys(cluster.store, cluster.prefix, early));
    if (left !== 'none') problems.push(`keys are left: ${left.slice(0, 10).join(', ')}`);
    return problems;
  }

  private hold(thoroughly: boolean): Promise<Holdings> {
    // A heap snapshot takes a second, so only the spared processes take one.
    return takeHoldings(
      this.fleet.processes,
      this.cluster.store,
      thoroughly ? this.fleet.spared : [],
    );
  }

  /** Waits until nothing more is held than before, if that comes to be. @returns what is held then */
  private async release(before: Holdings): Promise<Holdings> {
    const isLetGo = async () => judgeHoldings(before, await this.hold(false)).length === 0;
    await until('all is let go', isLetGo, LET_GO_MS).catch(() => undefined);
    return this.hold(true).catch((error: unknown) => {
      this.failures.push(String(error));
      return { processes: [], connections: {}, channels: [] };
    });
  }
}
