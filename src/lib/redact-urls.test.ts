import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { processorMs } from '../../test/support/processes/processor-time.js';
import { hasRedactedPassword, redactDeep, redactUrls } from './redact-urls.js';
import { restoreRedacted } from '../domain/topology/secrets/restore-redacted.js';
import type { Topology } from '../domain/topology/topology.js';
import { allAtOnce } from './steps.js';

const restored = (given: unknown, before: Topology) => allAtOnce(restoreRedacted(given, before));

test.each([
  ['redis://:secret@host:6379/1', 'redis://:***@host:6379/1'],
  ['https://me:p@ss:word@host/?a=b@c', 'https://me:***@host/?a=b@c'],
  ['see redis://a:b@c and http://d:e@f/g', 'see redis://a:***@c and http://d:***@f/g'],
  ['redis://host?password=x&db=1', 'redis://host?password=***&db=1'],
  ['redis://:***@host', 'redis://:***@host'],
  ['http://token@host', 'http://***@host'],
  ['redis://me@host', 'redis://me@host'],
  ['http://h/?token=a&x=1&api_key=b&sig=c#d', 'http://h/?token=***&x=1&api_key=***&sig=***#d'],
  ['http://h/?X-Amz-Signature=ab&tokens=5', 'http://h/?X-Amz-Signature=***&tokens=5'],
  ['http://host:80/@x', 'http://host:80/@x'],
  ['mail a:b@c', 'mail a:b@c'],
])('%s', (given, shown) => {
  expect(redactUrls(given)).toBe(shown);
  expect(redactUrls(shown)).toBe(shown);
});

test('leaves JSON within JSON whole', () => {
  const json = (value: string) => JSON.stringify({ said: JSON.stringify({ url: value, b: 1 }) });
  expect(redactUrls(json('/x?token=a\\b'))).toBe(json('/x?token=***'));
});

test('recognises a redacted password', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[^\s/?#@]+$/), (password) => {
      const shown = redactUrls(`redis://u:${password}@host`);
      expect(shown).toBe('redis://u:***@host');
      expect(hasRedactedPassword(shown)).toBe(true);
    }),
  );
});

test('takes linear time for any text', () => {
  for (const text of [
    'a'.repeat(200_000),
    'a://'.repeat(50_000),
    'a://b:'.repeat(50_000),
    ':'.repeat(200_000),
    '?password='.repeat(30_000),
  ]) {
    const before = processorMs();
    redactUrls(text);
    expect(processorMs() - before).toBeLessThan(1_000);
  }
});

const stored: Topology = {
  id: 1,
  name: 'Shop',
  nodes: [
    {
      id: 'a',
      name: 'A',
      kind: 'redis',
      endpoint: 'redis://:one@h',
      dependsOn: [],
      attributes: { replica: 'redis://:two@r', list: ['http://u:p@h'] },
    },
    {
      id: 'b',
      name: 'B',
      kind: 'redis',
      endpoint: 'redis://:three@h',
      dependsOn: [],
      attributes: {},
    },
  ],
  globalSupervisor: { agentId: '1', name: 'G', prompt: 'look at redis://:four@h' },
  teams: [],
};

test('restores the stored passwords of a topology that is sent back, in any order of nodes', () => {
  const shown = redactDeep(JSON.parse(JSON.stringify(stored)) as { nodes: { id: string }[] });
  expect(JSON.stringify(shown)).not.toMatch(/one|two|three|four|:p@/);
  shown.nodes.reverse();
  expect(restored(shown, stored)).toEqual({ ...stored, nodes: stored.nodes.toReversed() });
});

test('keeps the password only of a node of which nothing else has changed', () => {
  const shown = redactDeep(JSON.parse(JSON.stringify(stored)) as { nodes: { id: string }[] });
  const [a, b] = shown.nodes;
  const nodes = [{ ...a, attributes: { expectBody: 'never there' } }, b];
  expect(restored({ ...shown, nodes }, stored)).toMatchObject({
    nodes: [{ endpoint: 'redis://:***@h' }, stored.nodes[1]],
  });
});

test('drops the password of a changed endpoint and takes a new one', () => {
  const nodes = [
    { ...stored.nodes[0], endpoint: 'redis://:***@elsewhere' },
    { ...stored.nodes[1], endpoint: 'redis://:new@h' },
  ];
  expect(restored({ nodes }, stored)).toEqual({
    nodes: [{ ...stored.nodes[0], endpoint: 'redis://:***@elsewhere' }, nodes[1]],
  });
});

test('does not change other values', () => {
  fc.assert(fc.property(fc.anything(), (value) => expect(restored(value, stored)).toEqual(value)));
  const odd = JSON.parse(
    '{"__proto__": {"x": 1}, "nodes": [null, 1, {"id": {}, "__proto__": 1}]}',
  ) as unknown;
  expect(JSON.stringify(restored(odd, stored))).toBe(
    JSON.stringify({ ['__proto__']: { x: 1 }, nodes: [null, 1, { id: {}, ['__proto__']: 1 }] }),
  );
});
