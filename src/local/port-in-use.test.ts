import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { portFault } from './port-in-use.js';

it('names a port that is in use, and leaves a free one free', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await portFault(port, '127.0.0.1')).toBe(
    `Port ${port} is in use. Set PORT to another one, or to 0 for any free port.`,
  );
  server.close();
  await once(server, 'close');
  expect(await portFault(port, '127.0.0.1')).toBeUndefined();
  expect(await portFault(port, '127.0.0.1')).toBeUndefined();
  expect(await portFault(0, '127.0.0.1')).toBeUndefined();
});
