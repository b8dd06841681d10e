import { describe, expect, test } from '@jest/globals';
import { FAULTS_IN_KUBERNETES } from '../../../test/support/scenes/faults-in-kubernetes.js';
import { FAULTS_IN_LOGS } from '../../../test/support/scenes/faults-in-logs.js';
import { FAULTS_IN_METRICS } from '../../../test/support/scenes/faults-in-metrics.js';
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
