import { expect, test } from '@jest/globals';
import { MINUTE, observed, steppedSeries } from '../../../test/support/incidents/observations.js';
import type { Change } from '../../domain/telemetry/records.js';
import { LogTemplates } from '../logs/log-templates.js';
import { rankRootCauses } from '../rank-root-causes.js';

const alerts = [{ labels: { service: 'cart' }, annotations: { summary: 'cart answers 500' } }];
const config = (id: string, diff: string, node = 'cart'): Change => ({
  kind: 'config',
  at: 10 * MINUTE,
  id,
  node,
  message: id,
  files: [`${node}/${id}.yaml`],
  diff,
});

function ranked(changes: Change[], nodes?: string[], body = 'no free connection in the pool') {
  const templates = new LogTemplates(6 * MINUTE);
  for (let i = 0; i < 8; i++)
    templates.add({
      node: 'cart',
      body,
      severity: 'ERROR',
      at: (10.6 + i / 8) * MINUTE,
      labels: {},
    });
  const series = (nodes ?? []).map((node) => steppedSeries(node, 'replicas', 4, 16));
  return rankRootCauses(observed({ alerts, templates: templates.all(), changes, series }), '');
}
const one = config('one', '-readPoolSize: 40\n+readPoolSize: 4');
const other = config('other', '-writePoolSize: 40\n+writePoolSize: 4');

test('one change that explains the failure is its cause', () => {
  expect(ranked([one]).causes[0]?.change).toBe('one');
});

test('of two changes that explain the failure as well, none is held to be the cause', () => {
  const { causes, changes } = ranked([one, other]);
  expect(causes[0]).toMatchObject({ node: 'cart' });
  expect(causes[0]?.change).toBeUndefined();
  expect(changes.map(({ change }) => change)).toEqual(['one', 'other']);
});

test('what is changed by far more is the cause rather than what is changed a little', () => {
  const little = config('little', '-writePoolSize: 40\n+writePoolSize: 36');
  expect(ranked([little, one]).causes[0]?.change).toBe('one');
});

test('more instances are evidence for the change that lets them grow', () => {
  const changes = [config('more', '-maxReplicas: 4\n+maxReplicas: 40')];
  expect(ranked(changes, ['cart']).changes[0]?.for[1]).toMatch(/^replicas went from 4/);
});

test('retries repeat what fails: what takes more by itself comes before them', () => {
  const body = '429 too many requests of the workers, retry later';
  const workers = config('workers', '-parallelWorkers: 4\n+parallelWorkers: 40');
  const retries = config('retries', '-maxRetries: 1\n+maxRetries: 9');
  expect(ranked([retries], [], body).causes[0]?.change).toBe('retries');
  const { causes, changes } = ranked([workers, retries], [], body);
  expect(causes[0]?.change).toBe('workers');
  expect(changes[1]?.against).toContainEqual(expect.stringMatching(/^retries repeat what fails/));
});
