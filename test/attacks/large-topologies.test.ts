import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseDocument } from 'yaml';
import { longestTurn } from '../support/processes/longest-turn.js';
import { processorMsOf } from '../support/processes/processor-time.js';
import { AttackScene } from './attack-scene.js';

const SIZE = 900_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const YAML_TYPE = { 'content-type': 'application/yaml' };

let scene: AttackScene;
/**
 * Processor time of a piece of work that takes about 100 ms on a machine of today: a turn of the
 * event loop takes less.
 */
let most: number;
beforeAll(async () => {
  scene = await AttackScene.open('none');
  const text = `[${'a,'.repeat(30_000)}]`;
  most = await processorMsOf(() => parseDocument(text));
});
afterAll(() => scene.close());

async function post(body: string, headers: Record<string, string>, path = '') {
  const { ms, result } = await longestTurn(() =>
    scene.ask(`/api/service/v1/topologies${path}`, { method: 'POST', headers, body }),
  );
  expect(ms).toBeLessThan(most);
  return result;
}

const filled = (start: string, piece: string, end = '') =>
  start + piece.repeat(SIZE / piece.length) + end;

it.each([
  ['a list in brackets', filled('nodes: [', 'a,', ']')],
  ['objects in brackets', filled('nodes: [', '{a: b},', ']')],
  ['a list', filled('nodes:\n', '- a\n')],
  ['comments', filled('', '#\n')],
  ['empty lines', filled('', '\n')],
  ['documents', filled('', '---\n')],
])('YAML of 900 kB is refused and does not stop the service: %s', async (_, body) => {
  const { status, said } = await post(body, YAML_TYPE);
  expect([status, said]).toEqual([400, expect.stringMatching(/VALIDATION_FAILED/)]);
});

it.each([
  ['brackets', filled('nodes: ', ']')],
  ['texts', filled('nodes: ', '"a" ')],
])('nor does a text that is all faults: %s', async (_, body) => {
  // It may take too long or too much memory to find them all.
  expect([400, 503]).toContain((await post(body, YAML_TYPE)).status);
});

it.each([
  ['values', JSON.stringify({ nodes: Array.from({ length: SIZE / 2 }, () => 1) })],
  ['objects', JSON.stringify({ nodes: Array.from({ length: SIZE / 3 }, () => ({})) })],
])('nor does JSON of 900 kB: %s', async (_, body) => {
  const { status, said } = await post(body, JSON_TYPE);
  expect([status, said]).toEqual([400, expect.stringMatching(/at most 50,000 values/)]);
});

/** What people may write, of nearly the most nodes. */
const topology = (id: number) => ({
  id,
  name: 'Large',
  nodes: Array.from({ length: 900 }, (_, i) => ({
    id: `node-${i}`,
    name: `Node ${i} of the shop`,
    kind: 'service',
    endpoint: `http://node-${i}.shop.example:8080/health`,
    dependsOn: [i - 1, i - 5, i - 9].flatMap((other) => (other < 0 ? [] : [`node-${other}`])),
    attributes: { team: `Team ${i % 100}`, slowMs: 250 },
  })),
});

it.each([
  ['JSON', JSON_TYPE, 1],
  ['YAML', YAML_TYPE, 2],
])('a topology of 900 nodes in %s is stored in short turns', async (_, headers, id) => {
  const body = JSON.stringify(topology(id));
  expect((await post(body, headers)).status).toBe(201);
  expect((await post(body, headers, '/check')).status).toBe(200);
});

it('reads a large YAML text of a client while another one sends as many as it can', async () => {
  const sent = (as: string) =>
    scene.ask('/api/service/v1/topologies/check', {
      method: 'POST',
      headers: { ...YAML_TYPE, cookie: `consilium_caller=0123456789abcdef-${as}` },
      body: filled('nodes:\n', '- a\n'),
    });
  const greedy = Array.from({ length: 8 }, () => sent('greedy'));
  // One of them is refused: the share is taken.
  await Promise.any(
    greedy.map(async (one) => {
      const { status } = await one;
      if (status !== 503) throw new Error(`${status}`);
    }),
  );
  expect((await sent('modest')).status).toBe(400);
  await Promise.all(greedy);
});
