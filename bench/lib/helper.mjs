// A helper is a process of the bench: `fork`ed, asked over Node's IPC channel, and gone when whoever started it is gone.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, WORK } from './product.mjs';

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
  const child = fork(join(FOLDER, `${name}.mjs`), { cwd: ROOT, env: { ...process.env, ...env }, execArgv, serialization: 'advanced' });
  const waiting = new Map();
  let lastId = 0;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const ready = new Promise((resolve, reject) => waiting.set(0, { resolve, reject }));
  child.on('message', ({ id, value, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(value);
    else reject(new Error(`${name}: ${error}`));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended (${signal ?? code})`));
  });
  await ready;
  return {
    pid: child.pid,
    call(method, args = {}) {
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.send({ id, method, args });
      });
    },
    /** kB of memory that the system counts as its own. */
    rss: () => rssOf(child.pid),
    /** How often it has written to anything: sockets, for a server. */
    writes: () => Number(/^syscw: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))[1]),
    async stop() {
      waiting.clear();
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** kB. */
export const rssOf = (pid) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);

/** `BENCH_PROFILE=service,appender node bench/run.mjs …` leaves a processor profile of these helpers in bench/.work/. */
function profiling(name) {
  const wanted = (process.env.BENCH_PROFILE ?? '').split(',').includes(name);
  return wanted ? ['--cpu-prof', `--cpu-prof-dir=${WORK}`] : [];
}
