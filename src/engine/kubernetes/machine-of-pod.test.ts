import { expect, test } from '@jest/globals';
import { MINUTE, observed } from '../../../test/support/incidents/observations.js';
import { rankFailingNodes } from '../first-failing.js';
import { findAnomalies } from '../find-anomalies.js';
import type { KubernetesObject } from '../../domain/telemetry/records.js';

const pod = (name: string): KubernetesObject => ({
  kind: 'Pod',
  name,
  namespace: 'web',
  object: { spec: { nodeName: 'pool-b-7' } },
});
const notReady = (name: string): KubernetesObject => ({
  kind: 'Event',
  name: `${name}.1`,
  namespace: 'web',
  object: {
    type: 'Warning',
    reason: 'NodeNotReady',
    message: 'Node is not ready',
    lastTimestamp: new Date(11 * MINUTE).toISOString(),
    involvedObject: { kind: 'Pod', namespace: 'web', name },
  },
});
const objects = new Map(
  ['shop', 'db'].map((id) => [id, [pod(`${id}-0`), notReady(`${id}-0`)]] as const),
);
const kubernetes = [...objects.values()].flat();
const rank = (...machines: string[]) => {
  const nodes = ['shop', 'db', ...machines].map((id) => ({ id, name: id, dependsOn: [] }));
  const seen = observed({ nodes, kubernetes, kubernetesByNode: objects });
  return rankFailingNodes(seen, findAnomalies(seen));
};

test('the machine of pods that lost theirs is the cause, if it is a node', () => {
  const [first, second] = rank('pool-b-7', 'pool-b-8');
  expect(first).toMatchObject({
    node: 'pool-b-7',
    kinds: [['infrastructure', expect.any(Number)]],
  });
  expect(first?.for).toContain(
    'a pod of shop runs on it: Warning NodeNotReady Pod/shop-0 Node is not ready',
  );
  expect(first?.score).toBeGreaterThan(2 * (second?.score ?? 0));
});

test('the machine of pods that lost theirs is named, if it is no node', () => {
  const [first] = rank();
  expect(first?.for).toContain(
    'Warning NodeNotReady Pod/shop-0 Node is not ready (its machine is pool-b-7)',
  );
});
