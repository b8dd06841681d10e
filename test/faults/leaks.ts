/**
 * A process that leaks of everything, from the second time on that it is asked what it holds: what
 * holdings.test.ts looks at.
 */
import { EventEmitter } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { takeVitals, watchEmitters } from './lib/vitals.js';

const MANY = 60;

watchEmitters();
const kept: unknown[] = [];
const lasting = {
  emitter: new EventEmitter().setMaxListeners(MANY),
  signal: new AbortController().signal,
  warned: new EventEmitter(),
};
const server = createServer((socket) => kept.push(socket)).listen(0, '127.0.0.1', () =>
  process.stdout.write('listens on http://nowhere\n'),
);
process.on('message', () => {
  process.send?.(takeVitals(true));
  for (let i = 0; i < MANY; i++) {
    kept.push(
      setInterval(() => undefined, 60_000),
      new AbortController().signal,
      new EventEmitter(),
      Buffer.alloc(2 ** 20),
      Array(2 ** 17).fill(i),
    );
    connect((server.address() as AddressInfo).port, '127.0.0.1');
    lasting.emitter.on('anything', () => undefined);
    lasting.signal.addEventListener('abort', () => undefined);
    lasting.warned.on('anything', () => undefined);
  }
});
