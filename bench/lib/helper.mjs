// A helper is a process of the bench: `fork`ed, asked over Node's IPC channel, and gone when whoever started it is gone.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, WORK } from './product.mjs';

/** No call takes so long unless something hangs. */
const PATIENCE_MS = 240_000;

/** How to end what was started and is still there. */
const cleanups = new Set();

/** Has something ended when a row ends, however that ends. @returns forgets it */
export function endWithRow(stop) {
  cleanups.add(stop);
  return () => cleanups.delete(stop);
}

export async function endRow() {
  await Promise.all([...cleanups].map((stop) => stop()));
}

const FOLDER = join(import.meta.dirname, '../processes');

/** In the helper: answers calls by name. What a method throws is thrown at the caller. */
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
    /** kB of memory that the system counts as its own. */
    rss: () => rssOf(child.pid),
    /** How often it has written to anything: sockets, for a server. */
    writes: () => Number(/^syscw: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))[1]),
    stop,
  };
}

/** kB. */
export const rssOf = (pid) =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

/** `BENCH_PROFILE=service,appender node bench/run.mjs …` leaves a processor profile of these helpers in bench/.work/. */
function profiling(name) {
  const wanted = (process.env.BENCH_PROFILE ?? '').split(',').includes(name);
  return wanted ? ['--cpu-prof', `--cpu-prof-dir=${WORK}`] : [];
}
