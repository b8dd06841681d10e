import { spawn } from 'node:child_process';

export interface CommandOutput {
  code: number | null;
  stdout: string;
  stderr: string;
  /** It wrote more than `most` bytes, and was ended. */
  isCut: boolean;
}

interface CommandOptions {
  folder: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Maximum bytes of each of its outputs; default 64 KiB. */
  most?: number;
}

/**
 * Runs a program without a shell, with nothing of this process's environment, and ends it with all
 * processes that it started.
 * @throws the signal's reason; errors of the start, such as ENOENT
 */
export function runCommand(
  [program = '', ...args]: readonly string[],
  { folder, env, signal, most = 64 * 1024 }: CommandOptions,
): Promise<CommandOutput> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // The leader of a group of its own, so that its children end with it.
      detached: true,
    });
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    const output = { stdout: '', stderr: '', isCut: false };
    const take = (stream: 'stdout' | 'stderr') => (text: string) => {
      output[stream] = (output[stream] + text).slice(0, most);
      if (output[stream].length < most) return;
      output.isCut = true;
      end();
    };
    child.stdout.setEncoding('utf8').on('data', take('stdout'));
    child.stderr.setEncoding('utf8').on('data', take('stderr'));
    signal.addEventListener('abort', end, { once: true });
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', end);
      end();
      if (signal.aborted) reject(signal.reason as Error);
      else resolve({ code, ...output });
    });
  });
}
