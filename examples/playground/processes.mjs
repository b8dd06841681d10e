import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts one process of the shop and waits until it listens. It ends with this process.
 *
 * @param {string[]} command file in services/, and its arguments
 * @param {Record<string, string>} env added to this process's environment; PORT is not inherited
 * @returns {Promise<{port: number, pid: number, stop: () => Promise<void>}>}
 */
export async function startProcess([file, ...args], env = {}) {
  const { PORT: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const child = fork(new URL(`services/${file}`, import.meta.url), args, {
    env: { ...inherited, ...env },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  child.stderr.on('data', (bytes) => (complaint = (complaint + bytes).slice(-2000)));
  const gone = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), gone.then(() => undefined)]);
  if (first === undefined) throw new Error(`${file} ended before it listened:\n${complaint}`);

  return {
    port: first[0].listening,
    pid: child.pid,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const kill = setTimeout(() => child.kill('SIGKILL'), 2000);
      child.kill('SIGTERM');
      await gone;
      clearTimeout(kill);
    },
  };
}
