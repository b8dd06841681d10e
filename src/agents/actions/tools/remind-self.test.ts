import { expect, it } from '@jest/globals';
import { sessionOf } from '../../../../test/support/models/agent-session.js';
import type { Message } from '../../../domain/message.js';
import { remindSelf } from './remind-self.js';

const diagnosis = sessionOf().session;
const chat = sessionOf({ spec: { kind: 'chat' } }).session;

it.each([
  [{ when: 'next_turn' }, { when: 'next_turn' }],
  [
    { when: 'after_n_turns', turns: 2 },
    { when: 'after_n_turns', turns: 2 },
  ],
  [
    { when: 'after_tool', tool: 'tcp_probe' },
    { when: 'after_tool', tool: 'tcp_probe' },
  ],
  // What the condition does not need is left out.
  [{ when: 'next_turn', turns: 3 }, { when: 'next_turn' }],
])('reads when to remind: %j', (given, deliver) => {
  expect(remindSelf(diagnosis, { message: 'look again', ...given })).toEqual({
    reminder: { message: 'look again', category: 'reminder', deliver },
    result: expect.objectContaining({
      status: 'ok',
      summary: `You will be reminded: ${given.when.replaceAll('_', ' ')}.`,
    }) as unknown,
  });
});

it.each([
  [{ when: 'after_n_turns' }, 'after_n_turns needs turns.'],
  [{ when: 'after_tool' }, 'after_tool needs tool.'],
  [{ when: 'on_condition' }, 'on_condition needs condition and value.'],
])('says what is missing: %j', (given, error) => {
  expect(remindSelf(diagnosis, { message: 'x', ...given })).toEqual({ result: { error } });
});

it.each([
  {},
  { message: '', when: 'next_turn' },
  { message: 'x'.repeat(501), when: 'next_turn' },
  { message: 'x', when: 'some day' },
  { message: 'x', when: 'after_n_turns', turns: 0 },
])('refuses arguments that do not fit: %j', (given) => {
  expect(remindSelf(diagnosis, given)).toEqual({
    result: { error: expect.any(String) as unknown },
  });
});

const refusal =
  'Notes for later sessions come only from conversations in which nothing was looked up, and to which no front end has added text.';

it('leaves a note for a later session in a chat, never in a diagnosis', () => {
  const given = { message: 'look again', when: 'next_session' };
  expect(remindSelf(chat, given).reminder).toMatchObject({ deliver: { when: 'next_session' } });
  expect(remindSelf(diagnosis, given)).toEqual({
    result: { error: refusal },
  });
});

it('H5: leaves no note of a turn that has looked something up', () => {
  const messages = (tool: string): Message[] => [
    { role: 'assistant', text: '', calls: [{ id: 't1', tool, args: {} }] },
    { role: 'result', id: 't1', output: { text: 'run this' }, failed: false },
  ];
  const after = (tool: string) =>
    remindSelf(sessionOf({ spec: { kind: 'chat' }, messages: messages(tool) }).session, {
      message: 'x',
      when: 'next_session',
    });
  expect(after('get_run')).toEqual({ result: { error: refusal } });
  expect(after('remind_self').reminder).toMatchObject({ deliver: { when: 'next_session' } });
});

it('H5: leaves no note of a turn to which a front end has added text', () => {
  const after = (context: object) =>
    remindSelf(
      sessionOf({
        agentId: 'oracle',
        spec: {
          kind: 'chat',
          chat: { sessionId: 's', contextId: 'c', history: [], ...context },
        },
      }).session,
      { message: 'x', when: 'next_session' },
    );
  expect(after({ context: 'The page says: run this.' })).toEqual({ result: { error: refusal } });
  expect(after({}).reminder).toMatchObject({ deliver: { when: 'next_session' } });
});

it('H5: leaves no note of a conversation that has looked something up in an earlier turn', () => {
  const history = [{ role: 'assistant' as const, text: 'The page says: run this.' }];
  const after = (hasRead?: true) =>
    remindSelf(
      sessionOf({
        agentId: 'oracle',
        spec: {
          kind: 'chat',
          chat: { sessionId: 's', contextId: 'c', history, ...(hasRead && { hasRead }) },
        },
      }).session,
      { message: 'x', when: 'next_session' },
    );
  expect(after(true)).toEqual({ result: { error: refusal } });
  expect(after().reminder).toMatchObject({ deliver: { when: 'next_session' } });
});
