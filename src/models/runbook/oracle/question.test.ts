import { expect, it, test } from '@jest/globals';
import { processorMsOf } from '../../../../test/support/processor-time.js';
import { planOracle } from './plan-oracle.js';
import { readQuestion } from './question.js';

const brief = (userMessage: string) => ({
  ...{ role: 'oracle' as const, userMessage },
  ...{ topology: null, thinking: false },
});

test.each(['is broken ', 'are down ', 'what is wrong with ', 'list ', 'what ', '12:30 ', '01a2-'])(
  'plans the answer to 50,000 characters of %j in bounded time',
  async (words) => {
    const message = words.repeat(50_000 / words.length);
    const took = await processorMsOf(() =>
      planOracle(brief(message), [{ by: 'oracle', text: message }], [], new Set()),
    );
    // What is not bounded takes seconds.
    expect(took).toBeLessThan(500);
  },
);

it('reads ids, times and states from the beginning of a question', () => {
  const question = readQuestion(`Topology 7 at 12:30, failed? ${'x'.repeat(5_000)} topology 8`);
  expect(question).toMatchObject({
    ...{ topologyIds: [7], status: 'failed', latest: false },
    moment: { date: undefined, minutes: 750 },
  });
});
