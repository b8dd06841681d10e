import { spawn } from 'node:child_process';

const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };

/**
 * Runs a command and waits for its end. Resolves with its exit code, or with 128 + n if signal n
 * ended it. Signals that this process receives are forwarded. (The command receives Ctrl-C twice,
 * because the terminal sends it to all processes.)
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
