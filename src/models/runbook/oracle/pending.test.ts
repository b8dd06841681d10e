import { describe, expect, it } from '@jest/globals';
import { ask } from '../../../../test/support/oracle-questions.js';
import { withPending } from './pending.js';
import type { Remark } from './question.js';

const person = (text: string): Remark => ({ by: 'person', text });
const BACK: Remark = {
  by: 'oracle',
  text: 'Which topology? Several fit:\n\n- 7: Shop \\(5 nodes\\)\n- 2: Web blog \\(1 node\\)',
};
const QUESTION = person('how do I fix payments?');
const lastOf = (...remarks: Remark[]) => withPending(remarks).at(-1)?.text;

describe('a reply to the question which topology is meant', () => {
  it.each(['7', '7.', 'topology 7', 'Shop', 'the shop', 'shop please'])(
    'asks the pending question of that topology: %s',
    (reply) =>
      expect(lastOf(QUESTION, BACK, person(reply))).toBe('how do I fix payments of topology 7'),
  );

  it('names a topology by a word that no other one has', () =>
    expect(lastOf(QUESTION, BACK, person('blog'))).toMatch(/ of topology 2$/));

  it.each(['9', 'what is wrong with the shop?', 'why?', ''])(
    'is a question of its own if it says anything else: %s',
    (reply) => expect(lastOf(QUESTION, BACK, person(reply))).toBe(reply),
  );

  it('is none after another answer', () => {
    const other: Remark = { by: 'oracle', text: 'There are 2 topologies:\n- 7: Shop' };
    expect(lastOf(QUESTION, other, person('7'))).toBe('7');
  });

  it('is answered for the node of the pending question, and so is what follows', () => {
    const said = [QUESTION, BACK];
    const { text } = ask('7', { said });
    expect(text).toMatch(/^The report of this run suggests no next steps for Payments\./);
    const more = [...said, person('7'), { by: 'oracle' as const, text }];
    expect(ask('since when?', { said: more }).text).toMatch(/^Payments was /);
  });
});
