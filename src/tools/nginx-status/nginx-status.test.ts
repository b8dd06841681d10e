import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { closedPort, contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import { hasNginx, startNginx, type Nginx } from '../../../test/support/programs/nginx-program.js';
import { nginxStatus } from './nginx-status.js';
import { parseStubStatus } from './stub-status.js';

const targets = new Loopback();
afterAll(() => targets.close());

const page = (active: number, accepted: number, handled: number, requests = accepted) =>
  `Active connections: ${active} \nserver accepts handled requests\n ${accepted} ${handled} ${requests} \nReading: 0 Writing: 1 Waiting: 0 \n`;

async function look(endpoint: string, attributes = {}) {
  const own = { nginxStatusPath: '/status', intervalMs: 100, timeoutMs: 10_000, slowMs: 10_000 };
  const node = nodeOf('service', endpoint, { ...own, ...attributes });
  return expectSound(await nginxStatus.run({ node: 'target' }, contextOf(node)));
}
async function answering(status: number, ...pages: string[]) {
  const left = [...pages];
  const server = createServer((_, response) => {
    response.statusCode = status;
    response.end((left.length > 1 ? left.shift() : left[0]) ?? '');
  });
  return `http://127.0.0.1:${await targets.open(server)}`;
}

test('applies to a service that names the location of its status', () => {
  const applies = (attributes: object) =>
    nginxStatus.appliesTo(nodeOf('service', 'http://a', { ...attributes }));
  expect([applies({ nginxStatusPath: '/status' }), applies({})]).toEqual([true, false]);
});

test.each([
  ['is well', [page(3, 10, 10)], {}, []],
  [
    'drops connections',
    [page(3, 10, 9), page(3, 20, 15)],
    {},
    ['critical: drops connections: 4 between two readings'],
  ],
  ['has dropped some', [page(3, 10, 9)], {}, ['info: has dropped 1 connections']],
  [
    'is nearly full',
    [page(9, 10, 10)],
    { nginxConnections: 10 },
    ['warning: 9 of 10 connections are in use'],
  ],
])('an nginx that %s', async (_, pages, attributes, expected) => {
  const { issues } = await look(await answering(200, ...pages), attributes);
  expect(issues.map(({ severity, title }) => `${severity}: ${title}`)).toEqual(expected);
});

test('one that answers one of two looks is a warning', async () => {
  let looks = 0;
  const server = createServer((request, response) => {
    looks += 1;
    if (looks === 1) response.end(page(1, 1, 1));
    else request.socket.destroy();
  });
  const { status, issues } = await look(`http://127.0.0.1:${await targets.open(server)}`);
  expect(status).toBe('degraded');
  expect(issues[0]?.title).toMatch(/^the second look failed: closes connections unanswered/);
  expect(issues[0]?.steps).toBe('nginx-closes');
  expect(issues[0]?.detail).toContain('while all its worker_connections are in use');
});

test('one that is not there is unreachable', async () => {
  expect(await look(`http://127.0.0.1:${await closedPort()}`)).toMatchObject({
    status: 'failed',
    issues: [{ symptom: 'unreachable' }],
  });
});

test.each([
  [403, page(1, 1, 1), 'does not show its status to this address'],
  [200, '<html>', 'no page of stub_status'],
  [404, '', 'no page of stub_status'],
])(
  'a page with status %d that shows nothing leaves the node unchecked',
  async (status, body, why) => {
    await expect(look(await answering(status, body))).rejects.toThrow(why);
  },
);

test('foreign bytes are no page', () => {
  for (const text of ['', 'Active connections: -1', 'x'.repeat(100_000), `${page(1, 2, 3)}x`])
    expect(parseStubStatus(text)).toBeUndefined();
});

// Without nginx (Debian: apt-get install nginx-light), the tests above have to do.
if (hasNginx())
  describe('a real nginx', () => {
    let nginx: Nginx;
    beforeAll(async () => {
      nginx = await startNginx();
    });
    afterAll(() => nginx.stop());

    test('shows its connections, and that few are left', async () => {
      expect(await look(nginx.url, { nginxConnections: 16 })).toMatchObject({
        status: 'ok',
        issues: [],
      });
      const sockets: Socket[] = [];
      for (let i = 0; i < 10; i += 1) {
        const socket = connect(Number(new URL(nginx.url).port), '127.0.0.1');
        await once(socket, 'connect');
        sockets.push(socket);
      }
      const { issues, measurements } = await look(nginx.url, { nginxConnections: 12 });
      sockets.forEach((socket) => socket.destroy());
      expect(measurements['active']).toBeGreaterThanOrEqual(10);
      expect(issues).toMatchObject([{ severity: 'warning', symptom: 'saturated' }]);
    });
  });
