import { expect, test } from '@jest/globals';
import { observed, steppedSeries } from '../../test/support/incidents/observations.js';
import { asNeighbour } from './noisy-neighbour.js';
import { findAnomalies } from './find-anomalies.js';
import type { Series } from '../domain/telemetry/records.js';

const nodes = [
  { id: 'box', name: 'box', kind: 'host', dependsOn: [] },
  { id: 'backup', name: 'backup', dependsOn: ['box'] },
  { id: 'db', name: 'db', dependsOn: ['box'] },
];
const cause = {
  node: 'backup',
  kind: 'capacity' as const,
  score: 1,
  confidence: 0.5,
  title: '',
  for: [],
  against: [],
};
const kindWith = (...series: Series[]) => {
  const seen = observed({ nodes, series });
  return asNeighbour(cause, seen, findAnomalies(seen).moved).kind;
};
const TAKES = steppedSeries('backup', 'container_fs_writes_bytes', 1e5, 4e8);
const SHORT = steppedSeries('box', 'node_disk_write_await_ms', 1, 90);
const SUFFERS = steppedSeries('db', 'fsync_duration_seconds', 0.01, 0.9);

test('what takes the disk of its machine from others is a noisy neighbour', () => {
  expect(kindWith(TAKES, SHORT, SUFFERS)).toBe('noisy-neighbour');
});

test('no neighbour is noisy where the machine has enough, or no other suffers', () => {
  expect(kindWith(TAKES, SUFFERS)).toBe('capacity');
  expect(kindWith(TAKES, SHORT)).toBe('capacity');
});
