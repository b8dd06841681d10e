import { fork } from 'node:child_process';
import { dieWithParent } from './die-with-parent.mjs';

// The supervisor of checkout: restarts it on the same port, a tenth of a second after it has died.
dieWithParent();
const [file] = process.argv.slice(2);
let port = process.env.PORT ?? '0';
let child;

function start() {
  child = fork(new URL(file, import.meta.url), {
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr.resume();
  child.on('message', (message) => {
    if (port === '0') process.send?.(message);
    port = String(message.listening);
  });
  child.on('exit', () => setTimeout(start, 100));
}

start();
