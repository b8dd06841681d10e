import { spawn } from 'node:child_process';
import { killTree } from './kill-tree.js';
import { textOfBytes } from './net/text-of-bytes.js';

export interface ProcessOutput {
  /** Null: it was killed, since it said too much. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** Some of what it said was left out: too much of it, binary, or no UTF-8. */
  truncated: boolean;
}

export interface ProcessOptions {
  /** Kills it, and everything that it has started. */
  signal: AbortSignal;
  /** Bytes that are kept of stdout, and of stderr. One that says more is killed. */
  maxBytes?: number;
  env?: NodeJS.ProcessEnv;
}

const MAX_BYTES = 65_536;
/** ms: how long what it has started may go on talking when it has ended itself. */
const LINGER_MS = 250;

/**
 * Runs a program for a tool, in a process group of its own and in bounded memory. Whatever it does to itself, this process is
 * none the worse; whatever it has started ends with it.
 * @throws the signal's reason; Error where it cannot be started, or was killed by somebody else
 */
export async function runProcess(
  command: string,
  args: readonly string[],
  { signal, maxBytes = MAX_BYTES, env }: ProcessOptions,
): Promise<ProcessOutput> {
  signal.throwIfAborted();
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(env && { env }),
  });
  const kill = () => {
    if (child.pid !== undefined) killTree(child.pid);
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const stdout = new Kept(maxBytes, kill);
  const stderr = new Kept(maxBytes, kill);
  child.stdout.on('data', stdout.take);
  child.stderr.on('data', stderr.take);
  signal.addEventListener('abort', kill, { once: true });
  try {
    const ended = await new Promise<{ code: number | null; by: NodeJS.Signals | null }>(
      (resolve, reject) => {
        child.once('error', reject);
        child.once('exit', () => setTimeout(kill, LINGER_MS).unref());
        child.once('close', (code, by) => resolve({ code, by }));
      },
    );
    signal.throwIfAborted();
    const overflowed = stdout.overflowed || stderr.overflowed;
    if (ended.code === null && !overflowed)
      throw new Error(`${command} was ended by ${ended.by ?? 'nobody knows what'}`);
    const [out, err] = [stdout.text(), stderr.text()];
    return {
      code: overflowed ? null : ended.code,
      stdout: out.text,
      stderr: err.text,
      truncated: !out.whole || !err.whole,
    };
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}

/** The first bytes of a stream. */
class Kept {
  overflowed = false;
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(
    private readonly most: number,
    private readonly overflow: () => void,
  ) {}

  readonly take = (chunk: Buffer): void => {
    // A copy: a slice would keep the whole of its chunk.
    if (this.length < this.most)
      this.chunks.push(Buffer.from(chunk.subarray(0, this.most - this.length)));
    this.length += chunk.length;
    if (this.length <= this.most || this.overflowed) return;
    this.overflowed = true;
    this.overflow();
  };

  text(): { text: string; whole: boolean } {
    const { text, whole } = textOfBytes(Buffer.concat(this.chunks), this.most);
    return { text, whole: whole && !this.overflowed };
  }
}
