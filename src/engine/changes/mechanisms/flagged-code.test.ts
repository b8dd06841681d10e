import { expect, test } from '@jest/globals';
import type { Change } from '../../../domain/telemetry/records.js';
import { withFlaggedCode } from './flagged-code.js';
import type { MechanismKind } from './mechanism.js';

const suspect = (
  change: Change,
  score: number,
  more: { mechanism?: MechanismKind; for?: string[] } = {},
) => ({ change, score, liveAt: change.at, for: [], against: [], ...more });
const diff = "+if (flags.isOn('show-allergens')) rows = await db.query(EACH)";
const code = suspect({ kind: 'commit', at: 1, id: 'c0ffee1', diff }, 0.6, {
  mechanism: 'io-in-loop',
  for: ['io in loop, which brings about many queries'],
});
const flag = (name: string, at: number, score: number) =>
  suspect({ kind: 'flag', at, flag: name }, score, { mechanism: 'flag-flipped', for: ['live'] });

test('a flag that flipped at the onset is the cause of what the code behind it does', () => {
  const [commit, flipped] = withFlaggedCode([code, flag('show-allergens', 9, 0.4)]);
  expect(commit?.score).toBeCloseTo(0.18);
  expect(flipped).toMatchObject({ mechanism: 'io-in-loop', score: 0.76 });
  expect(flipped?.for).toEqual([
    'the code of change c0ffee1 runs behind this flag',
    'io in loop, which brings about many queries',
    'live',
  ]);
});

test.each([
  ['of another name', flag('show-allergens-per-dish', 9, 0.4)],
  ['that flipped long before', flag('show-allergens', 2, 0.01)],
  ['that flipped before the code was live', flag('show-allergens', 0, 0.4)],
])('a flag %s changes nothing', (_, other) => {
  expect(withFlaggedCode([code, other])).toEqual([code, other]);
});
