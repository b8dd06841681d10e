import { expect, test } from '@jest/globals';
import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { isHealed, isWhole } from './healed.js';

const NOW = Date.parse('2026-03-02T11:00:00Z');
const event = (time: string): KubernetesObject => ({
  kind: 'Event',
  name: 'e',
  namespace: 'shop',
  object: {
    reason: 'Unhealthy',
    lastTimestamp: time,
    involvedObject: { kind: 'Pod', name: 'web-old' },
  },
});
const deployment = (ready: number): KubernetesObject => ({
  kind: 'Deployment',
  name: 'web',
  namespace: 'shop',
  object: { status: { replicas: 3, readyReplicas: ready } },
});

test('a warning of a pod that was replaced by ready ones is over', () => {
  const pods = { well: new Set<string>(), now: NOW };
  const early = event('2026-03-02T10:00:00Z');
  expect(isHealed(early, { ...pods, gone: () => true })).toBe(true);
  expect(isHealed(early, { ...pods, gone: () => false })).toBe(false);
  expect(isHealed(early, pods)).toBe(false);
  expect(isHealed(event('2026-03-02T10:55:00Z'), { ...pods, gone: () => true })).toBe(false);
});

test('a workload is whole if all the pods that it wants are ready', () => {
  expect(isWhole([deployment(3)])).toBe(true);
  expect(isWhole([deployment(2)])).toBe(false);
  expect(isWhole([])).toBe(false);
});
