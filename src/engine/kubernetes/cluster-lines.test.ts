import { describe, expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../../test/support/incidents/observations.js';
import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { clusterLines } from './cluster-lines.js';

const isoAt = (minute: number) => new Date(minute * MINUTE).toISOString();
const warning = (reason: string, minute: number): KubernetesObject => ({
  kind: 'Event',
  namespace: 'shop',
  name: 'cart-1.1',
  object: {
    type: 'Warning',
    reason,
    message: '0/3 nodes are available',
    lastTimestamp: isoAt(minute),
    involvedObject: { kind: 'Pod', namespace: 'shop', name: 'cart-1' },
  },
});
const pod = (ready: 'True' | 'False', restartCount = 0): KubernetesObject => ({
  kind: 'Pod',
  namespace: 'shop',
  name: 'cart-1',
  object: {
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready }],
      containerStatuses: [{ name: 'c', restartCount, state: { running: {} } }],
    },
  },
});

/** Lines about the cart at minute 20, of which the first two are quiet. */
const linesOf = (...objects: KubernetesObject[]) =>
  clusterLines(
    observed({ kubernetes: objects, kubernetesByNode: new Map([['cart', objects]]) }),
    2 * MINUTE,
  ).filter(({ text }) => text.includes('nodes are available'));

describe('a warning that a pod did not run', () => {
  test.each([
    ['it has been ready since', [warning('FailedScheduling', 5), pod('True')], 0],
    ['it is not ready', [warning('FailedScheduling', 5), pod('False')], 1],
    ['it was restarted', [warning('FailedScheduling', 5), pod('True', 2)], 1],
    ['it was minutes ago', [warning('FailedScheduling', 15), pod('True')], 1],
    ['the warning is of another kind', [warning('Evicted', 5), pod('True')], 1],
  ])('counts unless it has passed: %s', (_, objects, count) =>
    expect(linesOf(...objects)).toHaveLength(count),
  );
});

test('a machine that no longer reports fails by its condition', () => {
  const condition = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: isoAt(7),
  };
  const machine = { kind: 'Node', name: 'host', object: { status: { conditions: [condition] } } };
  const seen = observed({
    kubernetes: [machine],
    kubernetesByNode: new Map([['host', [machine]]]),
  });
  expect(clusterLines(seen, 2 * MINUTE)).toMatchObject([
    { node: 'host', kind: 'infrastructure', since: 7 * MINUTE },
  ]);
});

test('reports a service that selects none of the pods that are named after it', () => {
  const labelled = (app: string): KubernetesObject => ({
    kind: 'Pod',
    namespace: 'shop',
    name: `${app}-1`,
    object: { metadata: { labels: { app } }, status: { phase: 'Running' } },
  });
  const service: KubernetesObject = {
    kind: 'Service',
    namespace: 'shop',
    name: 'cart',
    object: { spec: { selector: { app: 'carts' } } },
  };
  const texts = (...kubernetes: KubernetesObject[]) =>
    clusterLines(
      observed({ kubernetes, kubernetesByNode: new Map([['cart', kubernetes]]) }),
      0,
    ).map(({ text }) => text);
  expect(texts(service, labelled('cart'))).toEqual([
    'Service/cart its selector (app=carts) matches no pod. Pods have app=cart.',
  ]);
  // A recording may have the pods of some services only.
  expect(texts(service, labelled('bank'))).toEqual([]);
});
