import { beforeEach, expect, it } from '@jest/globals';
import { MemoryConversations } from '../../test/support/memory/memory-conversations.js';
import type { RunHead } from '../domain/run.js';

const NAME = { id: 'talk', owner: 'me' };

let memory: MemoryConversations;
beforeEach(() => {
  memory = new MemoryConversations();
});

const exchange = (runId: string) => ({ parent: null, runId, question: 'Why?', at: 1 });
const answerOf = async (contextId: string, runId: string) =>
  (await memory.answers.of(NAME, [[contextId, exchange(runId)]])).get(contextId);
const kept = async (contextId: string) =>
  (await memory.store.answers(NAME, [contextId])).get(contextId);

it('reads the answer from the log of its turn, and keeps it once the turn has ended', async () => {
  await memory.turn('r', memory.spec('talk', 'talk~1', 'Why?'), { says: 'Because.' });
  const ended_at = expect.any(String);
  const answer = { content: 'Because.', status: 'completed', partial: false, ended_at };
  expect(await answerOf('talk~1', 'r')).toEqual(answer);
  expect(await kept('talk~1')).toEqual(answer);
});

it('does not keep the answer of a turn that is under way', async () => {
  await memory.turn('r', memory.spec('talk', 'talk~1', 'Why?'), { says: 'Bec', ends: false });
  expect(await answerOf('talk~1', 'r')).toMatchObject({ status: 'running', partial: true });
  expect(await kept('talk~1')).toBeUndefined();
});

it('reads a kept answer without its log', async () => {
  const answer = { content: 'Because.', status: 'completed' as const, partial: false };
  await memory.store.keep(NAME, 'talk~1', answer);
  expect(await answerOf('talk~1', 'a run that is gone')).toEqual(answer);
});

it('shows a turn whose log is gone as failed', async () => {
  expect(await answerOf('talk~1', 'a run that is gone')).toEqual({
    content: '',
    status: 'failed',
    partial: true,
  });
});

it('keeps the answer of a chat before its log is dropped, and nothing of a diagnosis', async () => {
  const spec = memory.spec('talk', 'talk~1', 'Why?');
  await memory.turn('r', spec, { says: 'Because.' });
  await memory.answers.beforeTrim('r', { kind: 'diagnosis', owner: 'me' } as RunHead);
  expect(await kept('talk~1')).toBeUndefined();
  await memory.answers.beforeTrim('r', { kind: 'chat', owner: 'me' } as RunHead);
  expect(await kept('talk~1')).toMatchObject({ content: 'Because.' });
});
