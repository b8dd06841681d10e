import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { classify } from './network-error.js';

/**
 * Linux counts processor time in hundredths of a second for all programs, whatever the kernel's own
 * clock (USER_HZ).
 */
const TICKS_PER_SECOND = 100;
/** Number of processes that are read at once: thousands would use up the file descriptors. */
const AT_ONCE = 64;

/** A process as /proc shows it; proc(5). */
export interface ProcessFacts {
  pid: number;
  name: string;
  parentPid: number;
  /** One letter: R running, S sleeping, D in uninterruptible wait, T stopped, Z zombie, … */
  state: string;
  /** Processor time so far, in seconds. */
  cpuSeconds: number;
  uptimeSeconds: number;
  rssBytes: number;
  threads: number;
}

/** Undefined if there is no such process (any more). */
export async function readProcess(pid: number): Promise<ProcessFacts | undefined> {
  const [stat, status, uptime] = await Promise.all([
    read(`/proc/${pid}/stat`),
    read(`/proc/${pid}/status`),
    read('/proc/uptime'),
  ]);
  if (stat === undefined || status === undefined || uptime === undefined) return undefined;
  // The name may hold spaces and brackets: the fields begin after the last bracket. The first of
  // them is field 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return {
    pid,
    name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
    parentPid: field(4),
    state: fields[0] ?? '?',
    cpuSeconds: (field(14) + field(15)) / TICKS_PER_SECOND,
    uptimeSeconds: Math.max(0, Number.parseFloat(uptime) - field(22) / TICKS_PER_SECOND),
    rssBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024, // A zombie has none.
    threads: field(20),
  };
}

/**
 * Ids of the processes of a name, ascending: the name that the kernel shows (15 characters), or the
 * file name of the program, or of the script that it interprets (`node server.js` is found as
 * `node` and as `server.js`). Without this process itself.
 */
export async function findProcesses(name: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found: number[] = [];
  for (let start = 0; start < pids.length; start += AT_ONCE) {
    const batch = pids.slice(start, start + AT_ONCE);
    const matches = await Promise.all(
      batch.map(async (pid) => pid !== process.pid && (await namesOf(pid)).includes(name)),
    );
    found.push(...batch.filter((_, index) => matches[index]));
  }
  return found.sort((a, b) => a - b);
}

async function namesOf(pid: number): Promise<string[]> {
  const [comm, cmdline] = await Promise.all([
    read(`/proc/${pid}/comm`),
    read(`/proc/${pid}/cmdline`),
  ]);
  const [program = '', script = ''] = (cmdline ?? '').split('\0');
  return [comm?.trim() ?? '', basename(program), basename(script)];
}

/** Whether /proc shows the processes of other users: `hidepid` may hide them. */
export const seesOthers = async (): Promise<boolean> => (await readProcess(1)) !== undefined;

/**
 * A process may end while it is read.
 * @throws UnmeasuredError if this process is short of file descriptors or memory
 */
const read = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    classify(error, 'answer');
    return undefined;
  });
