import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Whether repositories can be made and read (Debian: `apt-get install git`). */
export const hasGit = (): boolean => spawnSync('git', ['--version']).status === 0;

/** A real repository in a folder of its own, without the settings of the user. */
export class GitRepositoryFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'repository-'));

  constructor() {
    this.run('init', '--quiet', '--initial-branch=main');
  }

  run(...args: string[]): string {
    return this.at(Date.now(), ...args);
  }

  /** @param at ms since 1970 */
  at(at: number, ...args: string[]): string {
    const date = `${Math.floor(at / 1_000)} +0000`;
    const people = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, 'Ada'],
      [`GIT_${role}_EMAIL`, 'ada@shop.example'],
      [`GIT_${role}_DATE`, date],
    ]);
    const env = { PATH: process.env['PATH'], ...Object.fromEntries(people) } as NodeJS.ProcessEnv;
    const own = { ...env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', args, { cwd: this.path, env: own, encoding: 'utf8' }).trim();
  }

  /** @returns the id of the commit */
  commit(at: number, message: string, files: Readonly<Record<string, string>>): string {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), content);
    }
    this.run('add', '--all');
    this.at(at, 'commit', '--quiet', `--message=${message}`);
    return this.run('rev-parse', 'HEAD');
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
