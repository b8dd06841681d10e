import { setTimeout as sleep } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPrivateRedis, type PrivateRedis } from '../../src/local/private-redis.js';
import { connect } from '../../src/redis/connect.js';
import { PatientClient } from '../faults/lib/patient-client.js';
import { VersionProcess } from '../faults/lib/version-process.js';
import { Loopback } from '../support/loopback.js';

const ROOT = join(import.meta.dirname, '../..');
type Role = 'api' | 'worker';

/** Processes of this build on one Redis, with targets to diagnose. Dead ones are replaced. */
export class ServiceGroup {
  readonly targets = new Loopback();
  readonly over = new AbortController();
  readonly client = new PatientClient(() => this.anyApi(), this.over.signal);
  /** Processes that ended although no one had ended them, with their last output. */
  readonly failures: string[] = [];
  private members: VersionProcess[] = [];
  private readonly ended = new Set<VersionProcess>();

  private constructor(
    private readonly redis: PrivateRedis | undefined,
    private readonly env: Record<string, string>,
  ) {}

  /** @param env its REDIS_URL names the Redis; without it a private one is started */
  static async start(
    roles: readonly Role[],
    env: Record<string, string> = {},
  ): Promise<ServiceGroup> {
    const redis = env['REDIS_URL'] === undefined ? await startPrivateRedis() : undefined;
    const group = new ServiceGroup(redis, {
      REDIS_URL: redis?.url ?? '',
      REDIS_PREFIX: 'scale',
      LOG_LEVEL: 'error',
      TOPOLOGIES_DIR: join(ROOT, 'test/support'),
      PROBES_PER_SECOND_PER_HOST: '10000',
      PROBE_CONNECTIONS_PER_HOST: '1000',
      ...env,
    });
    await Promise.all(roles.map((role) => group.add(role)));
    return group;
  }

  get processes(): readonly VersionProcess[] {
    return this.members;
  }

  anyApi(): string | undefined {
    const alive = this.alive('api');
    return alive[Math.floor(Math.random() * alive.length)]?.url;
  }

  /** Ends one process of a role, and starts another. */
  async replace(role: Role, signal: NodeJS.Signals): Promise<void> {
    const alive = this.alive(role);
    const victim = alive[Math.floor(Math.random() * alive.length)];
    if (!victim) return;
    this.ended.add(victim);
    await victim.end(signal);
    this.members = this.members.filter((member) => member !== victim);
    await this.add(role);
  }

  /** Resident memory of the processes in MB. */
  async memory(): Promise<number[]> {
    const read = this.members.map(async ({ pid }) => {
      const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1_024);
    });
    return Promise.all(read);
  }

  /** Seconds of processor time that the processes and Redis have used so far. */
  async processorSeconds(): Promise<number> {
    const own = await this.samples('process_cpu_seconds_total');
    const redis = connect(this.env['REDIS_URL']);
    const info = await redis.info('cpu');
    redis.disconnect();
    const used = [...info.matchAll(/^used_cpu_(?:sys|user):(\S+)/gm)].map(([, text]) =>
      Number(text),
    );
    return [...own, ...used].reduce((sum, seconds) => sum + seconds, 0);
  }

  /** The largest value of a metric among the processes; 0 if none has it. */
  async metric(name: string): Promise<number> {
    return Math.max(0, ...(await this.samples(name)));
  }

  private async samples(name: string): Promise<number[]> {
    const texts = this.members.map(({ url }) =>
      fetch(`${url}/metrics`)
        .then((response) => response.text())
        .catch(() => ''),
    );
    return (await Promise.all(texts)).flatMap((text) =>
      [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
        Number(value),
      ),
    );
  }

  async close(): Promise<void> {
    for (const member of this.members)
      if (!member.isAlive && !this.ended.has(member))
        this.failures.push(`a ${member.role} process ended by itself:\n${member.said}`);
    await Promise.all(this.members.map((member) => member.end('SIGKILL')));
    await this.targets.close();
    // Its last writes.
    await sleep(100);
    await this.redis?.stop();
  }

  private alive(role: Role): VersionProcess[] {
    return this.members.filter((member) => member.role === role && member.isAlive);
  }

  private async add(role: Role): Promise<void> {
    const version = { name: 'this version', folder: ROOT };
    this.members.push(await VersionProcess.start(version, role, this.env));
  }
}
