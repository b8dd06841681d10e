import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { listenFault } from './listen-fault.js';

it('names a port that is in use, and leaves a free one free', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await listenFault(port, '127.0.0.1')).toBe(
    `Port ${port} is in use. Set PORT to another one, or to 0 for any free port.`,
  );
  server.close();
  await once(server, 'close');
  expect(await listenFault(port, '127.0.0.1')).toBeUndefined();
  expect(await listenFault(port, '127.0.0.1')).toBeUndefined();
  expect(await listenFault(0, '127.0.0.1')).toBeUndefined();
});

it.each(['203.0.113.7', 'no-such-host.invalid'])(
  'names HOST if %s is no address of this machine',
  async (host) =>
    expect(await listenFault(0, host)).toMatch(
      new RegExp(
        `^HOST is ${host}, which is no address of this machine \\(E.*0\\.0\\.0\\.0 for all`,
      ),
    ),
);
