import { hostname, tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import type { JsonObject } from '../../lib/json.js';
import { PROBE_POLICY } from '../probe-policy.js';
import { hostResources } from './host-resources.js';

const LAX = { diskPercent: 100, memoryPercent: 100, loadPerCore: 1_000 };
const look = async (attributes: JsonObject, policy = PROBE_POLICY) =>
  expectSound(
    await hostResources.run(
      { node: 'target' },
      contextOf(nodeOf('host', undefined, attributes), { policy }),
    ),
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
  const { measurements, summary } = await look(
    { ...LAX, path: `${tmpdir()}/` },
    { ...PROBE_POLICY, paths: [tmpdir()] },
  );
  expect(summary).toMatch(/^disk [\d.]+ %, memory [\d.]+ %, load [\d.]+ per core/);
  for (const key of ['disk_percent', 'memory_percent']) {
    expect(measurements[key]).toBeGreaterThan(0);
    expect(measurements[key]).toBeLessThanOrEqual(100);
  }
  expect(measurements['cores']).toBeGreaterThanOrEqual(1);
});

test('thresholds that are passed are warnings', async () => {
  const { issues, summary } = await look({ ...LAX, memoryPercent: 1 });
  expect(summary).toMatch(
    /^disk [\d.]+ %, memory [\d.]+ % \(expected at most 1 %\), load [\d.]+ per core$/,
  );
  const memory = issues.find(({ title }) => title.startsWith('memory'));
  expect(memory).toMatchObject({
    detail: expect.stringContaining('expected at most 1 % used') as unknown,
  });
});

test.each(['/no/such/folder', '/etc/passwd', '/proc/self/mounts', '/../etc'])(
  'M4: refuses %s without a look at it',
  async (path) => {
    await expect(look({ path })).rejects.toThrow(
      /^attribute path of node target must be a mount point of this machine, or a folder that PROBE_PATHS lists$/,
    );
  },
);

test.each([[{ path: '/proc' }], [{ path: '/./' }], [{}]])(
  'measures a mount point: %j',
  async (attributes) => {
    const { measurements } = await look({ ...LAX, ...attributes });
    expect(measurements['disk_percent']).toBeGreaterThanOrEqual(0);
  },
);

test('M4: refuses to measure if local probes are off', () => {
  const deniedBy = (localProbes: boolean) =>
    hostResources.denied?.(nodeOf('host'), { ...PROBE_POLICY, localProbes });
  expect(deniedBy(false)).toMatchObject({ field: 'kind', error: { code: 'FORBIDDEN' } });
  expect(deniedBy(true)).toBeUndefined();
});

test('another machine', async () => {
  await expect(
    hostResources.run({ node: 'target' }, contextOf(nodeOf('host', 'far.example'))),
  ).rejects.toThrow(/only the machine it runs on/);
});
