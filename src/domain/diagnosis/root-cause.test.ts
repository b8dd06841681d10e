import { describe, expect, it } from '@jest/globals';
import { finding, node } from '../../../test/support/incidents/failing-nodes.js';
import type { Finding, Symptom } from './finding.js';
import type { FailureKind } from './failure-kind.js';
import { findRootCauses } from './root-cause.js';

/** web → api → (db, cache) */
const SHOP = [node('web', 'api'), node('api', 'db', 'cache'), node('db'), node('cache')];

const SOMETIMES = { intermittent: true as const };

describe('findRootCauses', () => {
  it('finds the deepest unhealthy node, and calls what is above it downstream', () => {
    const { rootCauses, findings, downstream } = findRootCauses(SHOP, [
      finding('web', 'erroring', 3),
      finding('api', 'erroring', 5),
      finding('db', 'saturated', 8),
    ]);
    expect(rootCauses.map((cause) => [cause.node, cause.title, cause.evidence])).toEqual([
      ['db', 'DB: is saturated', [8]],
    ]);
    expect(downstream.toSorted()).toEqual(['api', 'web']);
    expect(rootCauses).toMatchObject([{ symptom: 'saturated', explains: expect.any(Array) }]);
    expect(rootCauses[0]?.explains?.toSorted()).toEqual(['api', 'web']);
    expect(findings[0]?.detail).toBe('measured. Downstream of DB, which it depends on.');
    expect(findings[2]?.detail).toBe('measured.');
  });

  it.each([
    ['fails always', SOMETIMES, {}, true],
    ['fails now and then', SOMETIMES, SOMETIMES, false],
    ['fails always, as its dependency does', {}, {}, false],
  ])('says that a node may have a fault of its own, too, which %s', (_, cause, own, expected) => {
    const { findings, downstream } = findRootCauses(SHOP, [
      { ...finding('web', 'erroring', 3), ...own },
      { ...finding('api', 'erroring', 5), ...cause },
    ]);
    expect(downstream).toEqual(['web']);
    expect(findings[0]?.detail.includes('it may have a fault of its own, too.')).toBe(expected);
  });

  it('does not explain a closed port by a dependency that is merely slow', () => {
    const { rootCauses } = findRootCauses(SHOP, [
      finding('api', 'unreachable', 3),
      finding('db', 'slow', 5, 'warning'),
    ]);
    expect(rootCauses.map((cause) => cause.node).toSorted()).toEqual(['api', 'db']);
  });

  it('explains a name that does not exist by name service alone', () => {
    const missing = [finding('web', 'nameless', 3), finding('api', 'unreachable', 5)];
    expect(
      findRootCauses(SHOP, missing)
        .rootCauses.map((cause) => cause.node)
        .toSorted(),
    ).toEqual(['api', 'web']);
    const named = [
      { ...node('web', 'dns'), kind: 'service' },
      { ...node('dns'), kind: 'dns' },
    ];
    const { rootCauses } = findRootCauses(named, [
      finding('web', 'nameless', 3),
      finding('dns', 'erroring', 5),
    ]);
    expect(rootCauses.map((cause) => cause.node)).toEqual(['dns']);
  });

  it('explains slowness only by a dependency that takes the time', () => {
    const slow = { ...finding('web', 'slow', 3, 'warning'), took_ms: 1_400 };
    const causesWith = (took_ms: number, symptom: Symptom) =>
      findRootCauses(SHOP, [slow, { ...finding('api', symptom, 4), took_ms }]).rootCauses.map(
        ({ node: id }) => id,
      );
    expect(causesWith(1_380, 'slow')).toEqual(['api']);
    expect(causesWith(1_380, 'erroring')).toEqual(['api']);
    expect(causesWith(6, 'erroring').toSorted()).toEqual(['api', 'web']);
    expect(causesWith(0, 'nameless').toSorted()).toEqual(['api', 'web']);
  });

  it('explains a call that gets no answer by a dependency that fails, however fast', () => {
    const hangs = { ...finding('web', 'slow', 3), kind: 'timeout' as const, took_ms: 5_000 };
    const causesWith = (api: Finding) =>
      findRootCauses(SHOP, [hangs, api])
        .rootCauses.map((cause) => cause.node)
        .toSorted();
    for (const symptom of ['unreachable', 'erroring', 'saturated', 'invalid'] as const)
      expect(causesWith({ ...finding('api', symptom, 4), took_ms: 1 })).toEqual(['api']);
    expect(causesWith(finding('api', 'erroring', 4, 'warning'))).toEqual(['api', 'web']);
    expect(causesWith({ ...finding('api', 'slow', 4, 'warning'), took_ms: 900 })).toEqual([
      'api',
      'web',
    ]);
  });

  it('keeps what hangs as a root cause if something of its own is measured, too', () => {
    const { rootCauses } = findRootCauses(SHOP, [
      { ...finding('web', 'slow', 3), kind: 'timeout' as const, took_ms: 5_000 },
      finding('web', 'saturated', 4),
      { ...finding('api', 'unreachable', 5), took_ms: 1 },
    ]);
    expect(rootCauses.map((cause) => [cause.node, cause.title])).toEqual([
      ['api', 'API: is unreachable'],
      ['web', 'WEB: is saturated'],
    ]);
  });

  it('does not explain an error that comes at once by a dependency that is slow', () => {
    const { rootCauses } = findRootCauses(SHOP, [
      { ...finding('web', 'erroring', 3), took_ms: 6 },
      { ...finding('api', 'slow', 4, 'warning'), took_ms: 1_300 },
    ]);
    expect(rootCauses.map((cause) => cause.node).toSorted()).toEqual(['api', 'web']);
  });

  it('explains an error that comes at once by a dependency that does not answer at all', () => {
    const { rootCauses } = findRootCauses(SHOP, [
      { ...finding('web', 'erroring', 3), took_ms: 6 },
      { ...finding('api', 'slow', 4), took_ms: 5_000 },
    ]);
    expect(rootCauses).toMatchObject([{ node: 'api', chain: ['web', 'api'] }]);
  });

  it('keeps what a node reports about its own disk or memory, whatever fails below it', () => {
    const causesWith = (kind: FailureKind, ofDb?: FailureKind) =>
      findRootCauses(SHOP, [
        { ...finding('api', 'erroring', 3), kind },
        { ...finding('db', 'unreachable', 4), ...(ofDb && { kind: ofDb }) },
      ])
        .rootCauses.map((cause) => cause.node)
        .toSorted();
    expect(causesWith('exception')).toEqual(['db']);
    expect(causesWith('disk-full')).toEqual(['api', 'db']);
    expect(causesWith('out-of-memory')).toEqual(['api', 'db']);
    expect(causesWith('out-of-memory', 'disk-full')).toEqual(['api', 'db']);
    // It passes on what its dependency says.
    expect(causesWith('disk-full', 'disk-full')).toEqual(['db']);
    expect(causesWith('out-of-memory', 'memory')).toEqual(['db']);
  });

  it('does not take the memory of a Redis for that of the node that names it', () => {
    const causesOf = (said: string) =>
      findRootCauses(SHOP, [
        {
          ...finding('api', 'erroring', 3),
          kind: 'out-of-memory',
          stated: true,
          detail: `It said: "${said}".`,
        },
        finding('db', 'unreachable', 4),
      ])
        .rootCauses.map(({ node }) => node)
        .toSorted();
    expect(causesOf("OOM command not allowed when used memory > 'maxmemory'.")).toEqual(['db']);
    expect(causesOf('worker died: out of memory')).toEqual(['api', 'db']);
  });

  it('does not explain a path that is not there by a store that fails', () => {
    const causesWith = (kind: string) =>
      findRootCauses(
        [
          { ...node('api', 'below'), kind: 'service' },
          { ...node('below'), kind },
        ],
        [
          { ...finding('api', 'erroring', 3), kind: 'wrong-address' },
          finding('below', 'unreachable', 4),
        ],
      )
        .rootCauses.map((cause) => cause.node)
        .toSorted();
    expect(causesWith('redis')).toEqual(['api', 'below']);
    // A gateway answers 404 while it has no instance to pass the request on to.
    expect(causesWith('service')).toEqual(['below']);
  });

  it('explains a path that is not there by a dependency that is not there, not by one that fails', () => {
    const causesWith = (below: Finding) =>
      findRootCauses(SHOP, [
        { ...finding('web', 'erroring', 3), kind: 'wrong-address' },
        below,
      ]).rootCauses.map((cause) => cause.node);
    expect(causesWith(finding('api', 'erroring', 4)).toSorted()).toEqual(['api', 'web']);
    expect(causesWith(finding('api', 'slow', 4)).toSorted()).toEqual(['api', 'web']);
    expect(causesWith(finding('api', 'unreachable', 4))).toEqual(['api']);
    const passedOn = { ...finding('api', 'erroring', 4), kind: 'wrong-address' as const };
    expect(causesWith(passedOn)).toEqual(['api']);
  });

  it('is named by the first of findings that tell as much', () => {
    const { rootCauses } = findRootCauses(SHOP, [
      { ...finding('db', 'saturated', 3), title: 'idle in a transaction', kind: 'lock' },
      { ...finding('db', 'saturated', 3), title: 'a replication slot', kind: 'capacity' },
    ]);
    expect(rootCauses).toMatchObject([{ node: 'db', title: 'DB: idle in a transaction' }]);
  });

  it.each<[FailureKind, FailureKind]>([
    ['crash', 'crash'],
    ['latency', 'latency'],
    ['out-of-memory', 'out-of-memory'],
    ['exception', 'disk-full'],
    ['unknown', 'disk-full'],
  ])('of a measured %s, and of disk-full in the words of the node, is %s', (kind, expected) => {
    const said: Finding = { ...finding('db', 'erroring', 3), kind: 'disk-full', stated: true };
    const other: Finding = { ...finding('db', 'erroring', 4), kind };
    for (const both of [
      [said, other],
      [other, said],
    ])
      expect(findRootCauses(SHOP, both).rootCauses).toMatchObject([{ kind: expected }]);
  });

  it('marks a kind that only the text of the node states as not measured', () => {
    const basisOf = (more: Partial<Finding>) =>
      findRootCauses(SHOP, [{ ...finding('db', 'erroring', 3), kind: 'disk-full', ...more }])
        .rootCauses[0]?.basis;
    expect(basisOf({})).toEqual(['a critical issue was measured at the node itself']);
    expect(basisOf({ stated: true })).toEqual([
      'a critical issue was measured at the node itself',
      'only the answer of the node says that the kind of failure is disk-full',
    ]);
  });

  it('leaves out the dependency that closes a cycle, which no topology has', () => {
    const { rootCauses } = findRootCauses(
      [node('x', 'y'), node('y', 'x'), node('up', 'x')],
      [finding('x', 'erroring', 3), finding('y', 'erroring', 4), finding('up', 'erroring', 5)],
    );
    expect(rootCauses).toMatchObject([{ node: 'y', chain: ['up', 'x', 'y'] }]);
  });

  it('explains the errors of two services by the full disk that both use', () => {
    const disk = { ...node('disk'), kind: 'host' };
    const full = finding('disk', 'saturated', 5);
    const { rootCauses, downstream } = findRootCauses(
      [node('app', 'disk'), node('jobs', 'disk'), disk],
      [finding('app', 'erroring', 3), finding('jobs', 'erroring', 4), full],
    );
    expect(rootCauses.map((cause) => cause.node)).toEqual(['disk']);
    expect(downstream.toSorted()).toEqual(['app', 'jobs']);
  });

  it('explains slowness by slowness', () => {
    const { rootCauses } = findRootCauses(SHOP, [
      finding('web', 'slow', 3, 'warning'),
      finding('api', 'slow', 4, 'warning'),
    ]);
    expect(rootCauses.map((cause) => cause.node)).toEqual(['api']);
  });

  it.each(['saturated', 'invalid'] as const)(
    'does not blame a dependency for what is %s',
    (symptom) => {
      const { rootCauses } = findRootCauses(SHOP, [
        finding('web', symptom, 3),
        finding('db', 'unreachable', 4),
      ]);
      expect(rootCauses.map((cause) => cause.node).toSorted()).toEqual(['db', 'web']);
    },
  );

  it('takes an advisory for no cause and no explanation', () => {
    const { rootCauses } = findRootCauses(SHOP, [
      finding('db', 'advisory', 3, 'warning'),
      finding('api', 'erroring', 4),
    ]);
    expect(rootCauses.map((cause) => cause.node)).toEqual(['api']);
    expect(findRootCauses(SHOP, [finding('db', 'advisory', 3, 'warning')]).rootCauses).toEqual([]);
  });

  it('takes an alert for no cause and no explanation, and explains it by what was measured', () => {
    const alert = (of: string) => ({
      ...finding(of, 'erroring', 3, 'warning'),
      alert: true as const,
    });
    expect(findRootCauses(SHOP, [alert('db')])).toMatchObject({ rootCauses: [], downstream: [] });
    const below = findRootCauses(SHOP, [alert('db'), finding('api', 'erroring', 4)]);
    expect(below.rootCauses).toMatchObject([{ node: 'api', evidence: [4] }]);
    const above = findRootCauses(SHOP, [alert('api'), finding('db', 'erroring', 4)]);
    expect(above).toMatchObject({ rootCauses: [{ node: 'db' }], downstream: ['api'] });
    const both = findRootCauses(SHOP, [alert('api'), finding('api', 'erroring', 4)]);
    expect(both.rootCauses).toMatchObject([{ node: 'api', evidence: [4] }]);
  });

  it('finds two independent causes', () => {
    const { rootCauses } = findRootCauses(SHOP, [
      finding('db', 'unreachable', 3),
      finding('cache', 'saturated', 4),
    ]);
    expect(rootCauses.map((cause) => cause.node).toSorted()).toEqual(['cache', 'db']);
  });
});
