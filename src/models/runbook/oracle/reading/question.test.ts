import { expect, it, test } from '@jest/globals';
import { processorMsOf } from '../../../../../test/support/processes/processor-time.js';
import { planOracle } from '../plan-oracle.js';
import { readQuestion } from './question.js';

const NOW = Date.UTC(2026, 10, 22, 13);
const brief = (userMessage: string) => ({
  role: 'oracle' as const,
  userMessage,
  topology: null,
  thinking: false,
  now: NOW,
});

test.each([
  'is broken ',
  'are down ',
  'what is wrong with ',
  'list ',
  'what ',
  'brokn evidance ',
  'thanks ',
  'and the others ',
  'please restart ',
  '12:30 ',
  '01a2-',
  'last 12 ',
  'on the ',
])('plans the answer to 50,000 characters of %j in bounded time', async (words) => {
  const message = words.repeat(50_000 / words.length);
  const took = await processorMsOf(() =>
    planOracle(brief(message), [{ by: 'oracle', text: message }], [], new Set()),
  );
  // What is not bounded takes seconds.
  expect(took).toBeLessThan(2_000);
});

it('reads ids, times and states from the beginning of a question', () => {
  const question = readQuestion(
    `Topology 7 at 12:30, failed? ${'x'.repeat(5_000)} topology 8`,
    NOW,
  );
  expect(question).toMatchObject({
    topologyIds: [7],
    status: 'failed',
    latest: false,
    time: { from: NOW - 1_800_000, to: NOW - 1_740_000, isMoment: true },
  });
});
