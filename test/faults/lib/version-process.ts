import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from '../../support/until.js';

const END_WITH_PARENT = pathToFileURL(
  join(import.meta.dirname, '../../../scripts/lib/end-with-parent.mjs'),
).href;
const MOST_SAID = 20_000;

/**
 * A process of one version of the service, from the build in its folder. Ends with this process.
 */
export class VersionProcess {
  /** The end of its output. */
  said = '';
  url = '';
  private constructor(
    readonly version: string,
    readonly role: 'api' | 'worker',
    private readonly child: ChildProcess,
  ) {
    const hear = (chunk: Buffer) =>
      void (this.said = (this.said + String(chunk)).slice(-MOST_SAID));
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
  }

  /** @param folder with the version's `dist` and `node_modules` */
  static async start(
    version: { name: string; folder: string },
    role: 'api' | 'worker',
    env: Record<string, string>,
  ): Promise<VersionProcess> {
    const args = ['--import', END_WITH_PARENT, join(version.folder, 'dist/main.js')];
    const child = spawn(process.execPath, args, {
      cwd: version.folder,
      env: { ...process.env, ...env, ROLE: role, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const node = new VersionProcess(version.name, role, child);
    node.url = await until(
      `a ${role} process of ${version.name} that listens`,
      () => {
        if (!node.isAlive) throw new Error(`it ended before it listened:\n${node.said}`);
        return /listens on (http:[^\s,]+)/.exec(node.said)?.[1];
      },
      120_000,
    );
    return node;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /** Ends it, by default as an update does, and waits until it has ended. @returns its exit code */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.isAlive) {
      const ended = once(this.child, 'exit');
      this.child.kill(signal);
      await ended;
    }
    return this.child.exitCode;
  }
}
