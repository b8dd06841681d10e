import { expect, it } from '@jest/globals';
import { triesIn } from '../../console/src/run/evidence/tries.js';

it('shows each try with its time, and tells slow ones from failed ones', () => {
  const samples = [
    { status: 200, ms: 2_400 },
    { status: 204, ms: 12 },
    { status: 503, ms: 2_400 },
    { error: 'timeout' },
    { ms: 1 },
  ];
  expect(triesIn({ samples }, 1_000)).toEqual([
    { text: '200, 2.40 s', tone: 'slow' },
    { text: '204, 12 ms', tone: 'ok' },
    { text: '503, 2.40 s', tone: 'bad' },
    { text: 'timeout', tone: 'bad' },
    { text: 'connected, 1 ms', tone: 'ok' },
  ]);
});

it('calls no try slow where no limit is known', () => {
  expect(triesIn({ samples: [{ status: 200, ms: 59_000 }] }, undefined)).toEqual([
    { text: '200, 59.0 s', tone: 'ok' },
  ]);
});

it('counts the tries of an older log, and those without an answer', () => {
  const measurements = { tries: 4, statuses: { 200: 2, 500: 1 } };
  expect(triesIn({ measurements }, 1)?.map(({ text, tone }) => `${text} ${tone}`)).toEqual([
    '200 ok',
    '200 ok',
    '500 bad',
    'no answer bad',
  ]);
  expect(triesIn({ measurements: { tries: 4 } }, 1)).toBeUndefined();
});
