import { hostname } from 'node:os';
import { expect, test } from '@jest/globals';
import { contextOf, expectSound, nodeOf } from '../../../test/support/loopback.js';
import type { JsonObject } from '../../lib/json.js';
import { hostResources } from './host-resources.js';

const LAX = { diskPercent: 100, memoryPercent: 100, loadPerCore: 1_000 };
const look = async (attributes: JsonObject) =>
  expectSound(
    await hostResources.run({ node: 'target' }, contextOf(nodeOf('host', undefined, attributes))),
  );

test.each([
  ['host', undefined, true],
  ['host', 'localhost', true],
  ['host', hostname(), true],
  ['host', 'far.example', false],
  ['service', undefined, false],
])('applies to %s %s: %s', (kind, endpoint, expected) => {
  expect(hostResources.appliesTo(nodeOf(kind, endpoint))).toBe(expected);
});

test('measures this machine', async () => {
  const { measurements, summary } = await look({ ...LAX, path: '/tmp' });
  expect(summary).toMatch(/^disk [\d.]+ %, memory [\d.]+ %, load [\d.]+ per core/);
  for (const key of ['disk_percent', 'memory_percent']) {
    expect(measurements[key]).toBeGreaterThan(0);
    expect(measurements[key]).toBeLessThanOrEqual(100);
  }
  expect(measurements['cores']).toBeGreaterThanOrEqual(1);
});

test('thresholds that are passed are warnings', async () => {
  const { issues } = await look({ ...LAX, memoryPercent: 1 });
  const memory = issues.find(({ title }) => title.startsWith('memory'));
  expect(memory).toMatchObject({
    detail: expect.stringContaining('expected at most 1 % used') as unknown,
  });
});

test('a path that is not there', async () => {
  await expect(look({ path: '/no/such/folder' })).rejects.toThrow(
    /\/no\/such\/folder cannot be read \(ENOENT\)/,
  );
});

test('another machine', async () => {
  await expect(
    hostResources.run({ node: 'target' }, contextOf(nodeOf('host', 'far.example'))),
  ).rejects.toThrow(/only the machine it runs on/);
});
