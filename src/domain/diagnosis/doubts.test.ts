import { describe, expect, it } from '@jest/globals';
import { finding, node } from '../../../test/support/incidents/failing-nodes.js';
import type { Finding } from './finding.js';
import type { Doubts } from './doubts.js';
import { findRootCauses } from './root-cause.js';

/** web → api → (db, cache) */
const SHOP = [node('web', 'api'), node('api', 'db', 'cache'), node('db'), node('cache')];

describe('the confidence in a root cause', () => {
  it('comes with what is not excluded, and the chain of affected nodes', () => {
    const [cause] = findRootCauses(
      SHOP,
      [finding('web', 'erroring', 3), finding('api', 'erroring', 5)],
      { transportOnly: new Set(['db']) },
    ).rootCauses;
    expect(cause).toMatchObject({
      node: 'api',
      chain: ['web', 'api'],
      not_excluded: [
        { node: 'db', reason: expect.stringContaining('only measured that it answers') },
      ],
    });
    expect(cause?.basis).toContain(
      'of something that it depends on, it was only measured that it answers',
    );
  });

  const doubting = (own: Finding, doubts: Doubts) =>
    findRootCauses(SHOP, [own], doubts).rootCauses[0];
  const TOUCHED = { transportOnly: new Set(['db']) };

  it('is less sure where only the transport of a dependency was measured, and surer than blind', () => {
    const confidenceWith = (doubts: Doubts) =>
      doubting(finding('api', 'erroring', 3), doubts)?.confidence;
    expect(confidenceWith({})).toBe(0.85);
    expect(confidenceWith(TOUCHED)).toBe(0.73);
    expect(confidenceWith({ unchecked: [{ node: 'db', reason: 'NO_TOOL' }] })).toBe(0.55);
    expect(confidenceWith({ ...TOUCHED, unchecked: [{ node: 'cache', reason: 'NO_TOOL' }] })).toBe(
      0.43,
    );
  });

  it.each(['saturated', 'invalid', 'nameless'] as const)(
    'names a dependency that is not excluded also of a node that is %s',
    (symptom) => {
      const cause = doubting(finding('api', symptom, 3), TOUCHED);
      expect(cause).toMatchObject({ confidence: 0.73, not_excluded: [{ node: 'db' }] });
    },
  );

  it('is surer of a critical issue than of a warning', () => {
    const confidenceOf = (severity: Finding['severity']) =>
      doubting(finding('api', 'erroring', 3, severity), {})?.confidence;
    expect([confidenceOf('critical'), confidenceOf('warning')]).toEqual([0.85, 0.7]);
  });
});
