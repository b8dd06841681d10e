import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { finding, node } from '../../../test/support/incidents/failing-nodes.js';
import { SYMPTOMS } from './finding.js';
import { findRootCauses } from './root-cause.js';

describe('findRootCauses', () => {
  it.each<[string, (i: number) => number[]]>([
    ['in a chain', (i) => [i + 1]],
    ['side by side', () => []],
    ['in a mesh', (i) => [i + 1, i + 2, i + 7]],
  ])('does work linear in the number of failing nodes: %s', (_, below) => {
    const workFor = (size: number): number => {
      let work = 0;
      const nodes = Array.from({ length: size }, (_, i) => {
        const dependsOn = below(i).flatMap((each) => (each < size ? [`n${each}`] : []));
        return {
          id: `n${i}`,
          name: `N${i}`,
          get dependsOn() {
            work += dependsOn.length;
            return dependsOn;
          },
        };
      });
      const failing = nodes.map(({ id }, i) => ({
        ...finding(id, 'erroring', i + 1),
        get symptom() {
          work += 1;
          return 'erroring' as const;
        },
      }));
      expect(findRootCauses(nodes, failing).rootCauses.length).toBeGreaterThan(0);
      return work;
    };
    expect(workFor(1_000)).toBeLessThan(2.2 * workFor(500));
  });

  it('finds a cause for any failures, whatever the graph: circles, strangers, repetitions', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const graph = fc.array(
      fc.record({
        id: fc.constantFrom(...ids),
        dependsOn: fc.array(fc.constantFrom(...ids, 'stranger')),
      }),
    );
    const some = fc.array(
      fc.record({
        id: fc.constantFrom(...ids),
        symptom: fc.constantFrom(...SYMPTOMS),
        severity: fc.constantFrom('critical' as const, 'warning' as const),
      }),
    );
    fc.assert(
      fc.property(graph, some, (nodes, failures) => {
        const given = failures.map(({ id, symptom, severity }, i) =>
          finding(id, symptom, i + 1, severity),
        );
        // No circles: what a parsed topology guarantees.
        const acyclic = nodes.map((n) => node(n.id, ...n.dependsOn.filter((d) => d > n.id)));
        const { rootCauses, findings } = findRootCauses(acyclic, given);
        expect(rootCauses.length > 0).toBe(given.some((f) => f.symptom !== 'advisory'));
        expect(findings).toHaveLength(given.length);
        for (const cause of rootCauses) {
          expect(cause.confidence).toBeGreaterThan(0);
          expect(cause.confidence).toBeLessThanOrEqual(1);
          for (const n of cause.evidence) expect(given[n - 1]?.node).toBe(cause.node);
        }
        // A circle must at least not hang it.
        findRootCauses(
          nodes.map((n) => node(n.id, ...n.dependsOn)),
          given,
        );
      }),
    );
  });
});
