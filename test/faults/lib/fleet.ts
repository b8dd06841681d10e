import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Env, NodeProcess } from './cluster.js';

export type Role = 'api' | 'worker';

interface Member {
  role: Role;
  process: NodeProcess;
  /** It is paused and cut off like the others, but lives through all of it. */
  spared: boolean;
}

/** A number of processes in which dead ones are replaced. */
export class Fleet {
  private members: Member[] = [];
  private keeping = true;
  /** Processes that ended without a signal. */
  readonly failures: string[] = [];

  /** @param env of every process */
  constructor(
    private readonly cluster: Cluster,
    private readonly env: Env = {},
  ) {}

  /** Starts them; of each role one is spared. */
  async start(roles: readonly Role[]): Promise<void> {
    await Promise.all(roles.map((role, i) => this.add(role, roles.indexOf(role) === i)));
  }

  get processes(): NodeProcess[] {
    return this.members.map(({ process }) => process);
  }

  get spared(): NodeProcess[] {
    return this.members.filter(({ spared }) => spared).map(({ process }) => process);
  }

  /** Where any of those that are alive listens. */
  get anyApi(): string | undefined {
    const alive = this.alive('api');
    return alive[Math.floor(Math.random() * alive.length)]?.process.url;
  }

  /** @param dice whose throw decides; @param deadly whether those that are spared are left out */
  choose(role: Role, dice: () => number, deadly: boolean): NodeProcess | undefined {
    const alive = this.alive(role).filter(({ spared }) => !(deadly && spared));
    return alive[Math.floor(dice() * alive.length)]?.process;
  }

  /** Replaces processes that have died, until it is stopped and none is missing. */
  async keep(): Promise<void> {
    for (;;) {
      const dead = this.members.find(({ process }) => !process.isAlive);
      if (!dead && !this.keeping) return;
      if (dead) await this.replace(dead);
      else await sleep(100);
    }
  }

  stopKeeping(): void {
    this.keeping = false;
  }

  private async replace(dead: Member): Promise<void> {
    const { role, process, spared } = dead;
    // It cannot start while Redis is away: again.
    const replaced = await this.add(role).then(
      () => true,
      () => false,
    );
    if (!replaced) return;
    this.members = this.members.filter((member) => member !== dead);
    if (spared || process.hasFailed)
      this.failures.push(`a process ended unexpectedly: ${role} ${process.pid}`);
  }

  private async add(role: Role, spared = false): Promise<void> {
    // crash-loop.test.ts tests how often an agent may crash.
    this.members.push({
      role,
      process: await this.cluster.start(role, {
        ...this.env,
        MAX_CRASHES: '50',
        ...(spared && { SPARED: '1' }),
      }),
      spared,
    });
  }

  private alive(role: Role): Member[] {
    return this.members.filter((member) => member.role === role && member.process.isAlive);
  }
}
