import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { lastQuestion } from '../last-question.js';
import { oracleQuestion } from './oracle-question.js';
import { contextIdSchema, messageOf, messageSchema, runIdSchema, shortText } from './schemas.js';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

describe('the schemas of messages', () => {
  it.each(['', '  ', '\n', '\u200b', 3, null, undefined])('refuse %j', (text) =>
    expect(accepts(messageSchema, text)).toBe(false),
  );

  it('count code points', () => {
    expect(accepts(messageOf(3), '😀😀😀')).toBe(true);
    expect(accepts(messageOf(3), '😀😀😀x')).toBe(false);
    expect(accepts(messageSchema, 'x'.repeat(10_000))).toBe(true);
  });
});

it.each([
  [contextIdSchema, 'sess_1', true],
  [contextIdSchema, 'sess_1~0123456789ab', true],
  [contextIdSchema, 'sess_1~xyz', false],
  [runIdSchema, '01960d3c-5f2a-7cc0-8000-0123456789ab', true],
  [runIdSchema, 'latest', false],
  [shortText(3), 'abc', true],
  [shortText(3), '', false],
  [shortText(3), { length: 2 }, false],
])('checks ids and names: %#', (schema, value, expected) =>
  expect(accepts(schema, value)).toBe(expected),
);

describe('lastQuestion', () => {
  const schema = z
    .array(z.object({ role: z.string(), content: z.unknown() }))
    .transform((messages, context) => lastQuestion(messages, context));
  const user = (content: unknown) => ({ role: 'user', content });

  it('is the text of the last message of the user', () => {
    expect(schema.parse([user('First?'), { role: 'assistant', content: 'x' }])).toBe('First?');
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'file' },
      null,
      { type: 'text', text: 'b' },
    ];
    expect(schema.parse([user('First?'), user(parts)])).toBe('ab');
  });

  it.each([[[]], [[user('  ')]], [[user([])]], [[{ role: 'assistant', content: 'x' }]]])(
    'refuses a conversation without a question: %#',
    (messages) => expect(schema.safeParse(messages).error?.issues[0]?.path).toEqual(['messages']),
  );
});

describe('oracleQuestion', () => {
  const read = (more: object) => oracleQuestion.parse({ question: 'Why?', ...more });

  it('ignores unknown sources; none left means all', () => {
    expect(read({ sources: ['vault', 'runs', 'runs'] }).sources).toEqual(['runs']);
    expect(read({ sources: ['vault', 3] }).sources).toBeUndefined();
  });

  it.each([
    [{ project_id: '7' }, { topologyId: 7 }],
    [{ project_id: 7 }, { topologyId: 7 }],
    [{ project_id: 'default' }, { unknownTopology: 'default' }],
    [{ project_id: -1 }, { unknownTopology: '-1' }],
    [{ project_id: '' }, {}],
  ])('reads %j as %j', (given, expected) => {
    const { topologyId, unknownTopology } = read(given);
    expect({
      ...(topologyId !== undefined && { topologyId }),
      ...(unknownTopology !== undefined && { unknownTopology }),
    }).toEqual(expected);
  });

  it('is lenient and exclusive, and continues a context', () => {
    expect(read({ context_id: 'c~0123456789ab', max_tokens: 500, thinking: null })).toMatchObject({
      message: 'Why?',
      lenient: true,
      exclusive: true,
      tokenBudget: 500,
      conversationId: 'c',
      node: 'c~0123456789ab',
    });
  });

  it('names what is wrong', () => {
    const { error } = oracleQuestion.safeParse({ question: ' ', max_tokens: 5, run_id: 'x' });
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([
      'question',
      'max_tokens',
      'run_id',
    ]);
  });
});
