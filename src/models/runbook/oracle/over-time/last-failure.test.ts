import { describe, expect, it } from '@jest/globals';
import { converse, RECOVERED } from '../../../../../test/support/oracle-world.js';

const after = (question: string) =>
  converse(['is the web shop ok?', question], { runs: RECOVERED });

describe('a question about what was wrong, after a recovery', () => {
  it.each(['what was the root cause?', 'what was it?', 'why did it break?', 'what happened?'])(
    'is answered by the last diagnosis that found something: %s',
    (question) =>
      expect(after(question)).toMatch(
        /^Nothing was found to be wrong at 2026-11-22 08:40:02 UTC\. The last diagnosis that found something:\nRoot cause: Orders DB: connection refused/,
      ),
  );

  it('leaves the conversation about the latest diagnosis', () => {
    const asked = ['what was wrong with the web shop?', 'is the web shop still down?'];
    expect(converse(asked, { runs: RECOVERED })).toMatch(/^No/);
  });

  it('is so without a conversation', () =>
    expect(converse(['what was wrong with the web shop?'], { runs: RECOVERED })).toMatch(
      /^Nothing was found .*\nRoot cause: Orders DB/,
    ));

  it.each([
    ['what did you find?', /^Nothing was found to be wrong\.\n/],
    ['what is the root cause?', /^Nothing was found to be wrong\.\n/],
    ['what was wrong with the blog?', /^Nothing was found to be wrong\.\n/],
    [
      'what was wrong with payments?',
      /^Nothing was found to be wrong with Payments\..*\nPayments was last found unhealthy/s,
    ],
  ])('is about the latest diagnosis otherwise: %s', (question, answer) =>
    expect(after(question)).toMatch(answer),
  );
});
