import { describe, expect, it } from '@jest/globals';
import { ask, id } from '../../../../../test/support/incidents/oracle-questions.js';
import { withPending } from './pending.js';
import type { Remark } from '../reading/question.js';

const person = (text: string): Remark => ({ by: 'person', text });
const BACK: Remark = {
  by: 'oracle',
  text: 'Which topology? Several fit:\n\n- 7: Shop \\(5 nodes\\)\n- 2: Web blog \\(1 node\\)',
};
const BLOG_ANSWER: Remark = {
  by: 'oracle',
  text: `Nothing was found to be wrong.\nRun ${id(4)} of topology 2 (Blog) completed.`,
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

describe('a reply that agrees', () => {
  const OFFER: Remark = {
    by: 'oracle',
    text: 'Topology 2 has nothing called "Payments", but topology 7 (Shop) has: add "of topology 7" to the question if you mean that.',
  };

  it.each(['yes', 'ok', 'ok do it', 'yes please', 'that one'])(
    'to the only other topology asks the question of it: %s',
    (reply) =>
      expect(lastOf(QUESTION, OFFER, person(reply))).toBe('how do I fix payments of topology 7'),
  );

  it.each(['ok do it', 'yes'])(
    'to a question back chooses no topology, and is asked back again: %s',
    (reply) => expect(lastOf(QUESTION, BACK, person(reply))).toBe(QUESTION.text),
  );

  it('gives the steps of the topology that was offered, and of no other', () => {
    const said = [person('blog status'), BLOG_ANSWER, QUESTION, OFFER];
    expect(ask('ok do it', { said }).text).toContain('of topology 7 (Shop)');
  });
});

describe('a node of a topology that has none of that name', () => {
  const asked = 'is payments of the blog ok?';
  const said = [person(asked), { by: 'oracle', text: ask(asked).plan.text } as const];

  it.each([
    [asked, 'payments'],
    ['what is wrong with payments in the blog?', 'payments'],
    ['orders db of the blog', 'orders-db'],
  ])('is looked for in the others, and offered: %s', (question, name) =>
    expect(ask(question).plan.text).toBe(
      `Topology 2 (Blog) has nothing called "${name}", but topology 7 (Shop) has: say "of topology 7" if you mean that.`,
    ),
  );

  it.each(['yes', 'y', 'yup, please'])('is answered for the one offered: %s', (reply) =>
    expect(ask(reply, { said }).plan.text).toContain('of topology 7 (Shop)'),
  );
});
