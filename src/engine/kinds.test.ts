import { describe, expect, test } from '@jest/globals';
import { FAULTS_IN_KUBERNETES } from '../../test/support/scenes/faults-in-kubernetes.js';
import { FAULTS_IN_LOGS } from '../../test/support/scenes/faults-in-logs.js';
import { FAULTS_IN_METRICS } from '../../test/support/scenes/faults-in-metrics.js';
import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import { rankRootCauses } from './rank-root-causes.js';

describe.each([
  ['log lines', FAULTS_IN_LOGS],
  ['metrics', FAULTS_IN_METRICS],
  ['Kubernetes', FAULTS_IN_KUBERNETES],
])('a fault that shows in %s', (_, faults) => {
  test.each(faults.map((each) => [each.says, each.kind, each] as const))(
    '%s: %s',
    (_says, kind, { node, seen }) => {
      const [first] = rankRootCauses(seen, '').causes;
      expect({ node: first?.node, kind: first?.kind }).toEqual({ node, kind });
    },
  );
});

/** For each kind a fault that looks much like it, and must not be taken for it. */
const NEAR_MISSES: Record<Exclude<FailureKind, 'unknown'>, string> = {
  crash: 'an exception that is caught, in Java',
  'crash-loop': 'a start without a variable',
  'bad-command': 'a container that ends by itself again and again',
  config: 'a wrong address',
  'image-pull': 'a secret that does not exist',
  unschedulable: 'a quota that is used up',
  capacity: 'no node with enough room',
  volume: 'a full disk',
  'disk-full': 'a volume that can not be mounted',
  'out-of-memory': 'memory that grows for hours',
  'memory-leak': 'memory that steps',
  'cpu-saturated': 'a processor that is held back',
  'cpu-throttled': 'a busy processor, of cAdvisor',
  'connection-pool-exhausted': 'queries that read whole tables',
  'slow-query': 'waits for a row that another transaction holds',
  lock: 'queries that read whole tables',
  'queue-lag': 'one record that can not be read',
  'queue-partition': 'a consumer that falls behind',
  'rate-limited': 'clients that try again and again',
  'retry-storm': 'a service that refuses requests for their number',
  cache: 'more traffic than ever',
  timeout: 'a service that no one listens for',
  latency: 'packets that are lost',
  'network-delay': 'a node that is slow itself',
  unreachable: 'a wrong address',
  'wrong-address': 'a service that no one listens for',
  'network-policy': 'a call that takes longer than its limit',
  dns: 'a service that no one listens for',
  'certificate-expired': 'a password that was changed',
  auth: 'a certificate that has expired',
  'schema-mismatch': 'one record that can not be read',
  exception: 'a Go panic',
  'wrong-result': 'a message with a field less',
  regression: 'a name that does not resolve',
  load: 'more traffic than ever',
  'traffic-surge': 'a job that asks for more than before',
  'noisy-neighbour': 'a busy processor, of Micrometer',
  'provider-outage': 'a region that is impaired',
  region: 'a provider that is down',
  infrastructure: 'no node with enough room',
  'bad-data': 'a message with a field less',
  memory: 'memory that grows for hours',
};

describe('of every kind', () => {
  const all = [...FAULTS_IN_LOGS, ...FAULTS_IN_METRICS, ...FAULTS_IN_KUBERNETES];

  test.each(Object.entries(NEAR_MISSES))('%s: one is named so, and not %s', (kind, near) => {
    expect(all.filter((each) => each.kind === kind)).not.toEqual([]);
    const [missed] = all.filter(({ says }) => says === near);
    if (missed === undefined) throw new Error(`no fault is called ${near}`);
    expect(rankRootCauses(missed.seen, '').causes[0]?.kind).toBe(missed.kind);
    expect(missed.kind).not.toBe(kind);
  });
});
