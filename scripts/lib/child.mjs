import { spawn } from 'node:child_process';

const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };

/**
 * Runs a command to its end: its exit code, or 128 + n when signal n ended it. Signals that reach this process go on to
 * it (Ctrl-C twice then, since the terminal sends it to all; what we run here does not mind), and it is waited for.
 */
export function runChild([program, ...args], options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, options);
    const forward = (signal) => child.kill(signal);
    for (const signal of Object.keys(SIGNALS)) process.on(signal, forward);
    const done = () => {
      for (const signal of Object.keys(SIGNALS)) process.off(signal, forward);
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (code, signal) => {
      done();
      resolve(code ?? 128 + (SIGNALS[signal] ?? 9));
    });
  });
}
