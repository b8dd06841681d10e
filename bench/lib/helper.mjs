// A helper is a process of the benchmark. It is forked, called over Node's IPC channel, and ends
// with the process that started it.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, WORK } from './product.mjs';

/** Time-out of a call. */
const PATIENCE_MS = 240_000;

/** Functions that end what was started. */
const cleanups = new Set();

/** Registers something that must end when the row ends. @returns a function that removes it */
export function endWithRow(stop) {
  cleanups.add(stop);
  return () => cleanups.delete(stop);
}

export async function endRow() {
  await Promise.all([...cleanups].map((stop) => stop()));
}

const FOLDER = join(import.meta.dirname, '../processes');

/** In the helper: answers calls by method name. An error is thrown in the caller. */
export function serve(methods) {
  process.on('message', ({ id, method, args }) => {
    Promise.resolve()
      .then(() => methods[method](args))
      .then(
        (value) => process.send({ id, value }),
        (error) => process.send({ id, error: String(error?.stack ?? error) }),
      );
  });
  process.on('disconnect', () => process.exit());
  process.send({ id: 0 });
}

/** In the bench: starts `processes/NAME.mjs` and resolves when it answers. */
export async function startHelper(name, { env = {}, execArgv = profiling(name) } = {}) {
  const child = fork(join(FOLDER, `${name}.mjs`), {
    cwd: ROOT,
    env: { ...process.env, ...env },
    execArgv,
    serialization: 'advanced',
  });
  const waiting = new Map();
  let lastId = 0;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const ready = new Promise((resolve, reject) => waiting.set(0, { resolve, reject }));
  child.on('message', ({ id, value, error }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new Error(`${name}: ${error}`));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values())
      reject(new Error(`${name} ended (${signal ?? code})`));
  });
  const stop = async () => {
    forget();
    waiting.clear();
    if (child.connected) child.disconnect();
    await exited;
  };
  const forget = endWithRow(stop);
  await ready;
  return {
    pid: child.pid,
    call(method, args = {}) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () =>
            reject(new Error(`${name}: ${method} has not answered for ${PATIENCE_MS / 1_000} s`)),
          PATIENCE_MS,
        );
        const settle = (how) => (value) => {
          clearTimeout(timer);
          how(value);
        };
        waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
        child.send({ id, method, args });
      });
    },
    /** Resident memory of the process, kB. */
    rss: () => rssOf(child.pid),
    /** Number of write system calls. */
    writes: () => Number(/^syscw: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))[1]),
    stop,
  };
}

/** kB. */
export const rssOf = (pid) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

/**
 * `BENCH_PROFILE=service,appender node bench/run.mjs …` leaves a processor profile of these helpers
 * in bench/.work/.
 */
function profiling(name) {
  const wanted = (process.env.BENCH_PROFILE ?? '').split(',').includes(name);
  return wanted ? ['--cpu-prof', `--cpu-prof-dir=${WORK}`] : [];
}
