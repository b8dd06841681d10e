import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtFile } from './built.js';

const ROOT = new URL('../../../', import.meta.url).pathname;
const MARK = 'CONSILIUM_TEST_MARK';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Command {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Resolves with the output so far as soon as it matches. */
  printed: (pattern: RegExp) => Promise<string>;
  /** Number of its descendant processes that still run; 0 if the system has no /proc. */
  leftBehind: () => number;
}

/** Starts one of our commands, for example `src/cli/demo.ts`, with arguments. */
export const startCommand = (file: string, ...args: string[]): Command =>
  startCommandWith({}, file, ...args);

/** Starts a command with additional environment variables. */
export function startCommandWith(
  more: Record<string, string>,
  file: string,
  ...args: string[]
): Command {
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = { ...inherited, ...more };
  const mark = randomUUID();
  const child = spawn(process.execPath, [builtFile(file), ...args], {
    cwd: ROOT,
    env: { ...env, [MARK]: mark },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  const ended = once(child, 'close').then(([code]): Ended => ({
    code: code as number | null,
    stdout,
    stderr,
  }));
  return {
    child,
    ended,
    printed: async (pattern) => {
      const hasEnded = ended.then(() => true);
      while (!pattern.test(stdout))
        if (await Promise.race([hasEnded, once(child.stdout, 'data').then(() => false)]))
          throw new Error(`It ended before it printed ${pattern}:\n${stdout}${stderr}`);
      return stdout;
    },
    leftBehind: () => marked(mark).length,
  };
}

/**
 * Waits until all processes that a command started have ended.
 * @returns how many still run after ten seconds
 */
export async function untilNothingIsLeft(command: Command): Promise<number> {
  // A process that is just replacing its program has no environment for a moment: twice none is
  // none.
  let none = 0;
  for (let tries = 0; tries < 100 && none < 2; tries++) {
    if (tries > 0) await sleep(100);
    none = command.leftBehind() === 0 ? none + 1 : 0;
  }
  return none === 2 ? 0 : command.leftBehind();
}

/**
 * Processes with the mark in their environment. All descendants inherit it, also those with another
 * parent by now.
 */
function marked(mark: string): string[] {
  const processes = listed('/proc').filter((name) => /^\d+$/.test(name));
  return processes.filter((pid) => environmentOf(pid).includes(`${MARK}=${mark}`));
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // Gone meanwhile, or another user's.
  }
}
