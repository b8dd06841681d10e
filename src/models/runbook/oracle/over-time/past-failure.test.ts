import { describe, expect, it } from '@jest/globals';
import { converse, RECOVERED } from '../../../../../test/support/incidents/oracle-world.js';

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
    ['what is wrong with payments?', /^Nothing was found to be wrong with Payments\.\n/],
  ])('is about the latest diagnosis otherwise: %s', (question, answer) =>
    expect(after(question)).toMatch(answer),
  );
});

describe('a question whether something was wrong, after a recovery', () => {
  const first = (question: string, ...before: string[]) =>
    converse([...before, question], { runs: RECOVERED }).split('\n');

  it.each([
    ['was the orders db down?', /^Yes, at 2026-11-22 08:1/],
    ['was payments healthy?', /^No, not at 2026-11-22 08:1/],
    ['did payments fail?', /^Yes, at 2026-11-22 08:1/],
    ['has checkout been down?', /^Yes, at 2026-11-22 08:1/],
    ['was checkout affected?', /^Yes, at 2026-11-22 08:1/],
    ['were payments and inventory broken?', /^No\. That was measured at 2026-11-22 08:1/],
    ['did the web shop go down?', /^Yes, at 2026-11-22 08:1/],
  ])('is answered by the last diagnosis that found something: %s', (question, answer) => {
    const [judgement, note] = first(question);
    expect(judgement).toMatch(answer);
    expect(note).toMatch(
      /^Nothing was found to be wrong.* at 2026-11-22 08:40:02 UTC\. The last diagnosis that found something:$/,
    );
  });

  it('says how far back it looked if no diagnosis found anything', () =>
    expect(first('was inventory down?').slice(0, 2)).toEqual([
      'No.',
      expect.stringMatching(
        /^Nothing was found to be wrong with Inventory in the last \d diagnoses, since 2026/,
      ),
    ]));

  it('is about every topology if none was discussed', () => {
    for (const question of ['was it down?', 'was anything broken?', 'was there an outage?'])
      expect(first(question).slice(0, 3)).toEqual([
        'Yes.',
        'The last diagnosis of every topology that found something:',
        expect.stringMatching(/^- Web shop \(topology 11\): /),
      ]);
    expect(first('was it down?').join(' ')).toContain(
      'By the latest diagnosis, Web shop (topology 11) is healthy.',
    );
  });

  it('names who was affected then', () => {
    for (const before of [[], ['is the web shop ok?']])
      expect(first('who was affected?', ...before).slice(0, 2)).toEqual([
        expect.stringMatching(/The last diagnosis that found something:$/),
        expect.stringMatching(/^Orders DB is the root cause: .* are affected by Orders DB\.$/),
      ]);
  });

  it('counts the nodes of then', () =>
    expect(first('how many nodes were down?', 'is the web shop ok?').slice(0, 3)).toEqual([
      'In Web shop (topology 11):',
      expect.stringMatching(/The last diagnosis that found something:$/),
      expect.stringMatching(/^4 of 5/),
    ]));

  it('judges a suspect by the diagnosis of then', () =>
    expect(first('was it inventory?', 'is the web shop ok?')).toEqual(
      expect.arrayContaining([
        'No.',
        'Nothing was found to be wrong with Inventory. Inventory does not depend on the root cause Orders DB.',
      ]),
    ));
});

describe('the verb "last"', () => {
  const answer = (question: string) =>
    converse(['is the web shop ok?', question], { runs: RECOVERED });

  it('asks for the length of an outage, which one diagnosis does not show', () =>
    expect(answer('how long did it last?')).toMatch(
      /^I cannot tell how long Orders DB was unhealthy: one diagnosis found it\./,
    ));

  it.each(['will it last?', 'how long will it last?'])('asks what will be: %s', (question) =>
    expect(answer(question)).toMatch(/^I cannot tell: measurements show what was/),
  );

  it('asks how long a diagnosis took if it says so', () =>
    expect(answer('how long did the last diagnosis last?')).toMatch(/^It took /));

  it('is none before what is no diagnosis', () =>
    expect(converse(['should I roll back the last deploy?'])).not.toContain('of topology 12'));
});
