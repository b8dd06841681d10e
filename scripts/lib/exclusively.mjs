import { createHash } from 'node:crypto';
import net from 'node:net';

const PORTS = 8;

/**
 * Runs a function that two processes must not run at once in this folder; the second process waits
 * for the first. The lock is a loopback port that is derived from the folder's name. The kernel
 * gives it to one process and releases it when that process ends, so there are no stale locks. A
 * port that another program uses is skipped.
 */
export async function exclusively(root, action) {
  const lock = await acquire(root);
  try {
    return await action();
  } finally {
    lock.close();
  }
}

async function acquire(root) {
  const id = createHash('sha256').update(root).digest();
  const greeting = `consilium ${id.toString('hex')}\n`;
  const first = 20_000 + (id.readUInt16BE(0) % 10_000);
  let told = false;
  for (let port = first; port < first + PORTS;) {
    const lock = await listen(port, greeting);
    if (lock !== undefined) return lock;
    const holder = await greetingAt(port);
    if (holder === 'gone') continue;
    if (holder !== greeting) {
      port++;
      continue;
    }
    if (!told) console.error('Waiting for another process that installs or builds here ...');
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(
    `Ports ${first} to ${first + PORTS - 1} of 127.0.0.1 are all taken; one of them is needed as a lock.`,
  );
}

function listen(port, greeting) {
  return new Promise((resolve, reject) => {
    const server = net.createServer((socket) => socket.on('error', () => {}).end(greeting));
    server.once('error', (error) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen({ port, host: '127.0.0.1' }, () => resolve(server));
  });
}

/** The first message of a listener; `gone` if it no longer exists. */
function greetingAt(port) {
  return new Promise((resolve) => {
    let text = '';
    let gone = false;
    const socket = net.connect(port, '127.0.0.1');
    socket.setTimeout(2000, () => socket.destroy());
    socket.on('data', (bytes) => (text += bytes));
    socket.on(
      'error',
      (error) => (gone = error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET'),
    );
    socket.on('close', () => resolve(gone ? 'gone' : text));
  });
}
