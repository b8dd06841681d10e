import { expect, it } from '@jest/globals';
import {
  contextIdOf,
  headsOf,
  isConversationId,
  pathTo,
  readContextId,
  type Conversation,
  type Exchange,
} from './conversation.js';
import { cutContext } from './cut-context.js';
import { titleOf } from './title.js';

/** A conversation whose exchanges have these parents. */
const tree = (parents: Record<string, string | null>): Conversation => ({
  id: 'c',
  owner: 'me',
  title: '',
  createdAt: 0,
  updatedAt: 0,
  head: null,
  answered: new Set(),
  exchanges: new Map(
    Object.entries(parents).map(([id, parent]): [string, Exchange] => [
      id,
      { parent, runId: `r-${id}`, question: id, at: 0 },
    ]),
  ),
});
const idsTo = (conversation: Conversation, id: string | null) =>
  pathTo(conversation, id).map(([node]) => node);

it('finds the path from the root to an exchange', () => {
  const conversation = tree({ a: null, b: 'a', c: 'b', d: 'a' });
  expect(idsTo(conversation, 'c')).toEqual(['a', 'b', 'c']);
  expect(idsTo(conversation, null)).toEqual([]);
  expect(idsTo(conversation, 'unknown')).toEqual([]);
});

it('ends a path whose parents are missing or form a circle', () => {
  expect(idsTo(tree({ b: 'gone' }), 'b')).toEqual(['b']);
  expect(idsTo(tree({ a: 'b', b: 'a' }), 'a').length).toBeLessThanOrEqual(3);
});

it('lists the exchanges that none continues', () =>
  expect(headsOf(tree({ a: null, b: 'a', c: 'b', d: 'a' }))).toEqual(['c', 'd']));

it('makes and reads the ids of exchanges', () => {
  const id = contextIdOf('sess_1', '01960d3c-5f2a-7cc0-8000-0123456789ab');
  expect(id).toBe('sess_1~0123456789ab');
  expect(readContextId(id)).toEqual({ conversationId: 'sess_1', node: id });
  expect(readContextId('sess_1')).toEqual({ conversationId: 'sess_1', node: undefined });
});

it.each([
  ['sess_1.a:b-c', true],
  ['', false],
  ['a b', false],
  ['a~b', false],
  ['x'.repeat(129), false],
])('accepts %j as the id of a conversation: %s', (id, expected) =>
  expect(isConversationId(id)).toBe(expected),
);

it('takes the first message as the title, on one line and cut', () => {
  expect(titleOf('  What\n is \t wrong? ')).toBe('What is wrong?');
  expect(titleOf('word '.repeat(20))).toMatch(/^(word ){11}word…$/);
  expect([...titleOf('😀'.repeat(80))]).toHaveLength(60);
});

it('cuts what a front end adds to a question', () => {
  expect(cutContext('')).toBeUndefined();
  expect(cutContext('seen')).toBe('seen');
  expect(cutContext('x'.repeat(30_000))).toHaveLength(20_000);
  expect(cutContext('{"password":"hunter2","url":"http://q:pw-9@h/"}')).toBe(
    '{"password":"***","url":"http://q:***@h/"}',
  );
  // The cut must not hide where a credential ends.
  expect(cutContext(`${'x'.repeat(19_980)} http://q:hunter2-and-more@h/`)).not.toContain('hunter');
});
