import { describe, expect, it } from '@jest/globals';
import { ALL_WELL, issue, measured, SHOP } from '../../../test/support/incidents/measured-shop.js';
import { concludeRun } from './conclude-run.js';
import type { Measurement } from './measurement.js';

const conclude = (web: Measurement[]) =>
  concludeRun(SHOP, [...web, ...ALL_WELL.slice(1)], []).report;

describe('a node whose answer was not read to the end', () => {
  const notRead =
    'The page has more bytes than are read: a metric with a threshold may come later.';

  it('is unchecked where nothing wrong was read', () => {
    const made = conclude([measured(4, 'web', [], { notRead, partial: true })]);
    expect(made.verdict).toBe('inconclusive');
    expect(made.nodes.find(({ node }) => node === 'web')?.state).toBe('unknown');
    expect(made.unchecked).toEqual([
      { node: 'web', reason: 'NOT_READ', detail: notRead, evidence: [4] },
    ]);
    expect(made.next_steps).toMatchObject([
      { node: 'web', text: expect.stringMatching(/^Read its answer by hand.* WEB\.$/) },
    ]);
  });

  it('is not unchecked where something wrong was read, or a later look reads all', () => {
    const failing = measured(4, 'web', [issue()], { notRead, partial: true });
    expect(conclude([failing]).unchecked).toEqual([]);
    const looks = [measured(4, 'web', [], { notRead, partial: true }), measured(7, 'web')];
    expect(conclude(looks).verdict).toBe('healthy');
  });
});
