import { describe, expect, it } from '@jest/globals';
import { act, sessionOf } from '../../../test/support/models/agent-session.js';
import { NO_TOPOLOGY, ORACLE } from '../../domain/chat/chat.js';
import type { DraftEvent } from '../../domain/events/event.js';
import type { Blackboard } from '../../domain/blackboard.js';
import type { Message } from '../runtime/conversation.js';
import { answer } from './answer.js';
import { sayConclusion } from './say-conclusion.js';

const said = (text: string): Message => ({ role: 'assistant', text, calls: [] });

/** The last events of an oracle. */
async function ended(board: Partial<Blackboard>, messages: Message[] = []) {
  const chat = { sessionId: 's', contextId: 'c', history: [] };
  const topology = { ...NO_TOPOLOGY, globalSupervisor: ORACLE };
  const { session } = sessionOf({
    agentId: 'oracle',
    board,
    messages,
    spec: { kind: 'chat', chat, topology },
  });
  const result = await act(answer, session);
  if (result.outcome !== 'success') throw new Error('no step');
  return (result.events ?? []).map(({ name, data }) => ({ name, ...data }));
}

describe('answer', () => {
  it('ends the turn with what the model said', async () => {
    expect(await ended({}, [said('All is '), said('well.')])).toMatchObject([
      { name: 'lifecycle.completed', summary: 'All is\n\nwell.', partial: false },
    ]);
  });

  it('says that a limit has cut the answer', async () => {
    const board = { reached: 'iteration' as const, reasons: ['LIMIT_REACHED'] };
    const note = '(This answer is incomplete: its limit of 15 turns was reached.)';
    expect(await ended(board, [said('So far')])).toMatchObject([
      { name: 'llm.stream', content: `\n\n${note}` },
      { name: 'lifecycle.completed', summary: `So far\n\n${note}`, partial: true },
    ]);
    expect(await ended(board)).toMatchObject([{ content: note }, { summary: note }]);
  });

  it('names the diagnoses that go on after the answer is cut', async () => {
    const call = (id: string, tool: string, run_id: string, status: string): Message[] => [
      { role: 'assistant', text: '', calls: [{ id, tool, args: {} }] },
      { role: 'result', id, output: { run_id, status }, failed: false },
    ];
    const [said] = await ended({ reached: 'timeout', reasons: ['LIMIT_REACHED'] }, [
      ...call('t1', 'start_diagnosis', 'r1', 'running'),
      ...call('t2', 'start_diagnosis', 'r2', 'running'),
      ...call('t3', 'follow_diagnosis', 'r1', 'completed'),
    ]);
    const content = expect.stringMatching(/ s was reached\. The diagnosis continues: run r2\.\)$/);
    expect(said).toMatchObject({ content });
  });

  it('fails the turn whose model failed', async () => {
    const failure = { code: 'AI_ERROR', message: 'no', retryable: false };
    expect(await ended({ failure, reasons: ['AI_ERROR'] })).toMatchObject([
      { name: 'lifecycle.failed', code: 'AI_ERROR' },
    ]);
  });
});

describe('the conclusion of an agent', () => {
  const report = (summary: string): DraftEvent => ({
    name: 'dispatch.report',
    source: null,
    data: { dispatch_id: 'd1_1', status: 'ok', reasons: [], summary, findings: [] },
  });
  const say = (summary: string, messages: Message[] = []) =>
    sayConclusion(sessionOf({ messages }).session, [report(summary)]).map(({ name, data }) => [
      name,
      'content' in data ? data.content : '',
    ]);

  it('is said as text before its report', () => {
    expect(say('The disk is full.')).toEqual([
      ['llm.stream', 'The disk is full.'],
      ['dispatch.report', ''],
    ]);
  });

  it('is Markdown that quotes what was measured, said once', () => {
    const summary = 'It answers ![x](http://evil.example/p.png) [a].';
    const markdown = 'It answers `![x](http://evil.example/p.png)` \\[a\\].';
    expect(say(summary)).toEqual([
      ['llm.stream', markdown],
      ['dispatch.report', ''],
    ]);
    expect(say(summary, [said(markdown)])).toEqual([['dispatch.report', '']]);
    expect(say(summary, [said(summary)])).toEqual([['dispatch.report', '']]);
  });

  it('stands apart from what the model said before', () => {
    expect(say('The disk is full.', [said('I look at the disk.')])).toEqual([
      ['llm.stream', '\n\nThe disk is full.'],
      ['dispatch.report', ''],
    ]);
  });

  it('is not repeated as far as the model has just said it', () => {
    expect(say('The disk is full.', [said('The disk is full.')])).toHaveLength(1);
    const model = said('The disk is full. The shop is affected by it.');
    expect(say('The disk is full. Found 0 warnings, 1 critical issue.', [model])).toEqual([
      ['llm.stream', '\n\nFound 0 warnings, 1 critical issue.'],
      ['dispatch.report', ''],
    ]);
    expect(say('')).toHaveLength(1);
  });
});
