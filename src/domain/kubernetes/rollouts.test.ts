import { expect, test } from '@jest/globals';
import type { KubernetesObject } from '../telemetry/records.js';
import { rolloutsOf } from './rollouts.js';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const revision = (number: number, minute: number, container: object): KubernetesObject => ({
  kind: 'ReplicaSet',
  name: `api-${number}`,
  namespace: 'shop',
  object: {
    metadata: {
      creationTimestamp: at(minute),
      annotations: { 'deployment.kubernetes.io/revision': String(number) },
      ownerReferences: [{ kind: 'Deployment', name: 'api' }],
    },
    spec: { template: { spec: { containers: [{ name: 'c', ...container }] } } },
  },
});
const deployment = (progress?: number): KubernetesObject => ({
  kind: 'Deployment',
  name: 'api',
  namespace: 'shop',
  object: {
    status: {
      conditions:
        progress === undefined ? [] : [{ type: 'Progressing', lastUpdateTime: at(progress) }],
    },
  },
});
const shown = (objects: KubernetesObject[], progress?: number) =>
  rolloutsOf(deployment(progress), objects).map(({ at: time, message }) => [
    new Date(time).getUTCMinutes(),
    message,
  ]);

test('each revision says what it changed, without values of variables', () => {
  const env = (value: string) => ({ env: [{ name: 'DB_PASSWORD', value }] });
  expect(
    shown([
      revision(3, 30, { image: 'api:2', ...env('new'), resources: { limits: { memory: '1Gi' } } }),
      revision(1, 10, { image: 'api:1', ...env('old') }),
      revision(2, 20, { image: 'api:2', ...env('old') }),
    ]),
  ).toEqual([
    [10, 'Deployment api, revision 1: first revision that is kept'],
    [20, 'Deployment api, revision 2: image api:1 to api:2'],
    [30, 'Deployment api, revision 3: variables DB_PASSWORD; resources of c'],
  ]);
});

test('a rollback has the time at which the deployment went on, if that is known', () => {
  const sets = [revision(2, 20, { image: 'api:2' }), revision(3, 10, { image: 'api:1' })];
  expect(shown(sets, 40)).toContainEqual([40, 'Deployment api, revision 3: image api:2 to api:1']);
  expect(shown(sets)).toHaveLength(1);
});
