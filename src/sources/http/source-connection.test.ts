import { createServer } from 'node:http';
import { afterAll, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { Loopback } from '../../../test/support/loopback.js';
import { askSource } from './source-client.js';
import type { SourceServer } from './source-server.js';
import { withConnection } from './source-connection.js';

const targets = new Loopback();
afterAll(() => targets.close());
const live = new AbortController().signal;

/**
 * A server, and what was asked of the places for its host: `+` when one is taken, `-` when it is
 * given back.
 */
async function counted({ closes = false } = {}) {
  let connections = 0;
  const places: string[] = [];
  const server = createServer((_request, response) => {
    if (closes) response.setHeader('connection', 'close');
    response.end('{}');
  }).on('connection', () => (connections += 1));
  const egress: SourceServer['egress'] = {
    ...anyEgress,
    enter: ({ host, port }) => {
      places.push(`+${host}:${port === at}`);
      return Promise.resolve(() => Promise.resolve(void places.push('-')));
    },
  };
  const at = await targets.open(server);
  const source: SourceServer = { endpoint: `http://prom.example:${at}/base`, egress };
  return { source, places, connections: () => connections };
}
const question = { path: '/api' };

test('M3: a request takes a place for its connection, and gives it back', async () => {
  const { source, places, connections } = await counted();
  await askSource(source, question, live);
  expect(places).toEqual(['+prom.example:true', '-']);
  await askSource(source, question, live);
  expect([places.length, connections()]).toEqual([4, 2]);
});

test('M3: requests over one connection have one place', async () => {
  const { source, places, connections } = await counted();
  await withConnection(source, async (connected) => {
    for (let i = 0; i < 5; i += 1) await askSource(connected, question, live);
  });
  expect([places, connections()]).toEqual([['+prom.example:true', '-'], 1]);
});

test('M3: a server that closes each connection is connected to as often as there are places', async () => {
  const { source, places, connections } = await counted({ closes: true });
  await withConnection(source, async (connected) => {
    for (let i = 0; i < 3; i += 1) await askSource(connected, question, live);
  });
  expect(connections()).toBe(3);
  expect(places.filter((each) => each === '-')).toHaveLength(3);
});

test('the place is given back if the work fails, and if the server is not there', async () => {
  const { source, places } = await counted();
  const failing = withConnection(source, async (connected) => {
    await askSource(connected, question, live);
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  await targets.close();
  await expect(askSource(source, question, live)).rejects.toMatchObject({ failure: 'unreachable' });
  expect(places).toEqual(['+prom.example:true', '-', '+prom.example:true', '-']);
});

test('a host without a place to be had is a source that cannot be reached', async () => {
  const { source, connections } = await counted();
  const enter = () => Promise.reject(new Error('it is quarantined'));
  const refused = askSource({ ...source, egress: { ...source.egress, enter } }, question, live);
  await expect(refused).rejects.toMatchObject({
    failure: 'unreachable',
    message: 'it is quarantined',
  });
  expect(connections()).toBe(0);
});
