import { expect, it } from '@jest/globals';
import { sessionOf, type SessionSketch } from '../../../../test/support/models/agent-session.js';
import type { LogPort } from '../../../event-log/log-port.js';
import type { TurnPart, TurnRequest } from '../../../models/calls/turn-part.js';
import type { ModelEntry } from '../../../models/models.js';
import { modelTurn } from '../model-turn.js';
import { answerAtOnce } from './answer-at-once.js';

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false };
const finish: TurnPart = { type: 'finish', reason: 'stop', usage };
const PLAIN = { messages: [], streamTo: [] };

/** An agent whose request is put together for a model that answers `parts` at once. */
function planned(parts: readonly TurnPart[], { board, ...more }: SessionSketch = {}) {
  const asked: TurnRequest['tools'][] = [];
  const entry: ModelEntry = {
    name: 'planner',
    description: '',
    contextWindow: 1_000,
    isFree: true,
    model: {} as ModelEntry['model'],
    answer: ({ tools }) => {
      asked.push(tools);
      return [...parts];
    },
  };
  const { session, steps } = sessionOf({
    ...more,
    board: { nextAttempt: 2, ...board },
    chain: [entry],
  });
  const tools = ['look', 'dig'].map((name) => ({
    type: 'function' as const,
    name,
    inputSchema: {},
  }));
  session.take({
    state: session.board,
    scratch: { prepared: { chain: [entry], prompt: [], tools, tokens: 0, bytes: 7 } },
  });
  return { session, steps, entry, asked };
}

it('has the text, the calls and the times of a turn', () => {
  const call = { type: 'tool-call' as const, tool: 'look', input: '{}' };
  const parts = [{ type: 'text' as const, text: 'I look.' }, call, finish];
  const board = { wantedAt: 90_000, queuedMs: 3 };
  const { session, entry } = planned(parts, { board, now: 100_000 });
  expect(answerAtOnce(session, PLAIN)).toEqual({
    entry,
    text: 'I look.',
    calls: [{ tool: 'look', input: '{}' }],
    usage,
    finishReason: 'stop',
    isBounded: false,
    bytes: 7,
    timing: { duration_ms: 0, waited_ms: 10_000, first_token_ms: 0, queued_ms: 3 },
  });
  expect(session.board).toMatchObject({ attempt: 2 });
  expect(session.board).not.toHaveProperty('wantedAt');
  expect(session.board).not.toHaveProperty('queuedMs');
});

it('writes what the model says before the usage of the turn', async () => {
  const parts: TurnPart[] = [
    ...(['reasoning', 'text'] as const).map((type) => ({ type, text: type })),
    finish,
  ];
  const { session, steps } = planned(parts);
  const leaf = { path: '0', type: 'llm-call' as const, name: 'llm-call' };
  const abort = {
    get signal(): AbortSignal {
      throw new Error('a signal was created');
    },
  };
  const context = { session, leaf, abort, ports: { log: {} as LogPort } as never };
  const result = modelTurn.run(context, session.board);
  if (result instanceof Promise || result.outcome !== 'success') throw new Error('not at once');
  await session.record(result as never);
  expect(steps.flatMap(({ events }) => events.map(({ name }) => name))).toEqual([
    'llm.reasoning',
    'llm.stream',
    'llm.usage',
  ]);
});

it('offers the tools that the tree names', () => {
  const { session, asked } = planned([finish]);
  answerAtOnce(session, { ...PLAIN, tools: ['dig'] });
  expect(asked.map((tools) => tools.map(({ name }) => name))).toEqual([['dig']]);
});

it.each<[string, SessionSketch, object]>([
  ['with a message of the tree', {}, { messages: ['Be short.'] }],
  ['of another model', {}, { model: 'other' }],
  ['that is made again', { board: { tries: { spent: [] } as never } }, {}],
  ['that is not due yet', { board: { notBefore: 1 } }, {}],
  ['after the deadline', { now: 2, deadlineAt: 1 }, {}],
])('leaves a call %s to the usual way', (_, sketch, options) => {
  const { session, asked } = planned([finish], sketch);
  expect(answerAtOnce(session, { ...PLAIN, ...options })).toBeUndefined();
  expect([asked, session.board.attempt]).toEqual([[], 1]);
});

it('leaves a call that fails to the usual way, which says why', () => {
  const { session, entry } = planned([]);
  entry.answer = () => {
    throw new Error('no brief');
  };
  expect(answerAtOnce(session, PLAIN)).toBeUndefined();
  expect(session.board.attempt).toBe(1);
});
