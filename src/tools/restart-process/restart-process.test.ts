import { createServer } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { closedPort, contextOf, Loopback, nodeOf } from '../../../test/support/loopback.js';
import { processManager } from '../../../test/support/programs/process-manager.js';
import { EgressPolicy } from '../egress/egress-policy.js';
import { PROBE_POLICY } from '../probe-policy.js';
import { restartProcess } from './restart-process.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const nodeWith = (restartUrl?: unknown) =>
  nodeOf(
    'service',
    'http://127.0.0.1:1/',
    restartUrl === undefined ? {} : { restartUrl: restartUrl as string },
  );
const restart = (url: string, policy = PROBE_POLICY) =>
  restartProcess.run({ node: 'target' }, contextOf(nodeWith(url), { policy }));

test.each([
  ['http://127.0.0.1:9/shop', true],
  ['https://shop:pw@manager.example/', true],
  ['ftp://127.0.0.1/', false],
  ['manager', false],
  [7, false],
  [undefined, false],
])('applies to a node with restartUrl %s: %s', (url, expected) => {
  expect(restartProcess.appliesTo(nodeWith(url))).toBe(expected);
});

test('applies to no node of a recorded incident', () => {
  const recording = { id: 'r', kind: 'recording', incident: 'i', provides: ['probes'] } as const;
  const sources = [{ ...recording, provides: [...recording.provides] }];
  expect(restartProcess.appliesTo(nodeWith('http://127.0.0.1:9/'), sources)).toBe(false);
});

test('says where the request will go, without the credentials of the URL', () => {
  const { message } =
    restartProcess.change?.(nodeWith('https://shop:pw@m.example/shop?token=x')) ?? {};
  expect(message).toBe('Restart the process of Target: POST https://m.example/shop?….');
});

test('asks the process manager once, with the key of the call', async () => {
  const manager = await processManager(loopback);
  const result = await restart(manager.url);
  expect(result).toMatchObject({ status: 'ok', issues: [], measurements: { answer: 'restarted' } });
  expect(result.summary).toMatch(/was restarted in \d+ ms/);
  expect(manager.asked).toEqual(['run.t1']);
});

test('sends credentials of the URL, and shows none of them', async () => {
  let seen: string | undefined;
  const port = await loopback.open(
    createServer((request, response) => {
      seen = request.headers.authorization;
      response.writeHead(500).end('the password hunter22 is wrong');
    }),
  );
  const failed = restart(`http://shop:hunter22@127.0.0.1:${port}/`);
  await expect(failed).rejects.toThrow(/its process manager answered 500/);
  expect(seen).toBe(`Basic ${Buffer.from('shop:hunter22').toString('base64')}`);
});

test('fails if nothing answers, and connects to no denied address', async () => {
  await expect(restart(`http://127.0.0.1:${await closedPort()}/`)).rejects.toThrow(
    /its process manager: /,
  );
  const egress = EgressPolicy.of(undefined, '127.0.0.0/8', []);
  await expect(restart('http://127.0.0.1:9/', { ...PROBE_POLICY, egress })).rejects.toThrow(
    /127\.0\.0\.0\/8 is denied/,
  );
});
