import { describe, expect, it } from '@jest/globals';
import {
  PAID_MODEL,
  sessionOf,
  type SessionSketch,
} from '../../../../test/support/models/agent-session.js';
import { NO_TOPOLOGY, ORACLE } from '../../../domain/chat/chat.js';
import { recordTurn } from './record-turn.js';
import type { ModelTurn } from './call-result.js';

type Call = ModelTurn['calls'][number];
const call = (tool: string, args: object = {}): Call => ({ tool, input: JSON.stringify(args) });

/** The step that a turn becomes. */
function step(turn: Partial<ModelTurn>, sketch: SessionSketch = {}, dispatched: string[] = []) {
  const { session } = sessionOf(sketch);
  const whole: ModelTurn = {
    entry: PAID_MODEL,
    text: '',
    calls: [],
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, estimated: false },
    finishReason: 'stop',
    isBounded: false,
    bytes: 100,
    ...turn,
  };
  const mayRepeat = (tool: string) => tool === 'look';
  const result = recordTurn(session.draft(), whole, { streamTo: [], dispatched, mayRepeat });
  if (result.outcome !== 'success' || !result.state) throw new Error('no step');
  const { state, events = [], messages = [] } = result;
  const named = (name: string) => events.filter((event) => event.name === name);
  const faults = [
    ...state.calls.flatMap(({ fault }) => fault ?? []),
    ...messages.flatMap((message) =>
      message.role === 'result' && message.failed ? [message.output] : [],
    ),
  ];
  return { state, messages, named, faults, isHeld: result.hold === true };
}

describe('a turn of a model', () => {
  it('opens its calls under ids of their own', () => {
    const { state, named } = step({ calls: [call('look', { node: 'web' }), call('look')] });
    expect(state.calls.map(({ tool_call_id }) => tool_call_id)).toEqual(['d1_1_t1', 'd1_1_t2']);
    expect(named('llm.tool_call')).toHaveLength(2);
    expect(named('llm.usage')).toHaveLength(1);
    expect(state.stop).toBe(false);
  });

  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false };
  const free = { entry: { ...PAID_MODEL, isFree: true }, usage: nothing };

  it('is recorded before its calls are made, unless repeating it costs nothing and changes nothing', () => {
    expect(step({ ...free, calls: [call('look'), call('look')] }).isHeld).toBe(true);
    expect(step({ ...free, calls: [call('look'), call('touch')] }).isHeld).toBe(false);
    expect(step({ usage: nothing, calls: [call('look')] }).isHeld).toBe(false);
    expect(step({ ...free, usage: { ...nothing, input: 1 }, calls: [call('look')] }).isHeld).toBe(
      false,
    );
  });

  it('ends the work of an agent that reports', () => {
    const { state, named } = step({ calls: [call('report', { summary: 'All is well.' })] });
    expect(state).toMatchObject({ stop: true, conclusion: { summary: 'All is well.' }, calls: [] });
    expect(named('llm.tool_call')).toEqual([]);
  });

  it('answers a call without a name, and keeps it fit for the log', () => {
    const { named, faults } = step({ calls: [call('')] });
    expect(named('llm.tool_call')[0]?.data).toMatchObject({ tool: 'unnamed' });
    expect(faults).toEqual(['The call has no tool name.']);
  });

  it('H6: counts control tools among the calls of a turn', () => {
    const limits = { maxToolCallsPerTurn: 2 };
    const calls = [
      call('dispatch_worker', { worker: 'Web worker', task: 'a' }),
      call('dispatch_worker', { worker: 'Db worker', task: 'b' }),
      call('dispatch_worker', { worker: 'Db worker', task: 'c' }),
    ];
    const { state, named, faults } = step({ calls }, { agentId: '2', limits });
    expect(named('dispatch.worker')).toHaveLength(2);
    expect(state.waiting).toHaveLength(2);
    expect(faults).toEqual([expect.stringMatching(/^At most 2 calls/)]);
  });

  it('H6: of 200 dispatches in one turn makes three of a worker', () => {
    const calls = Array.from({ length: 200 }, () =>
      call('dispatch_worker', { worker: 'Web worker', task: 'again' }),
    );
    const { named, state } = step(
      { calls },
      { agentId: '2', limits: { maxToolCallsPerTurn: 200 } },
    );
    expect(named('dispatch.worker')).toHaveLength(3);
    expect(state.waiting).toHaveLength(3);
    const { named: later } = step({ calls }, { agentId: '2' }, ['2', '3', '3']);
    expect(later('dispatch.worker')).toHaveLength(1);
  });

  it('does not dispatch a team that is at work', () => {
    const dispatch = call('dispatch_team', { team: 'Team', task: 'look' });
    const { named, faults, messages } = step({ calls: [dispatch, dispatch] }, { agentId: '1' });
    expect(named('dispatch.team')).toHaveLength(1);
    expect(faults).toEqual(['Team Team is already at work: wait for its report.']);
    expect(messages.at(-1)).toMatchObject({ role: 'result', failed: true, refused: true });
  });

  it('records and answers the calls beyond the limit of a turn as one', () => {
    const calls = Array.from({ length: 5_000 }, () => call('look'));
    const { named, messages, faults } = step({ calls }, { limits: { maxToolCallsPerTurn: 20 } });
    expect(named('llm.tool_call')).toHaveLength(21);
    expect(messages[0]).toMatchObject({ calls: { length: 21 } });
    expect(faults).toEqual([
      'At most 20 calls are made in a turn; this one and any after it were not.',
    ]);
  });

  it('names the right agents where a dispatch names a wrong one', () => {
    const calls = [call('dispatch_worker', { worker: 'Unknown', task: 'x' })];
    expect(step({ calls }, { agentId: '2' }).faults[0]).toMatch(/Workers: Web worker, Db worker/);
  });

  it('without a call is asked once, in the first turn, to use its tools or to report', () => {
    const { state, messages, named } = step({ text: 'All is well.' });
    expect(messages).toEqual([
      { role: 'assistant', text: 'All is well.', calls: [] },
      { role: 'note', text: expect.stringMatching(/called no tool.*call your tools.*`report`/) },
    ]);
    expect(state).toMatchObject({ stop: false, warned: ['nudge'], conclusion: null, reasons: [] });
    expect(named('llm.tool_call')).toEqual([]);
  });

  const chat = { sessionId: 's', contextId: 'c', history: [] };
  const topology = { ...NO_TOPOLOGY, globalSupervisor: ORACLE };
  it.each<[string, Partial<ModelTurn>, SessionSketch]>([
    ['it was asked before', {}, { board: { warned: ['nudge'] } }],
    ['it has called tools before', {}, { board: { turn: 2 } }],
    ['it has no other turn', {}, { limits: { maxIterations: 1 } }],
    ['its tokens are used up', { isBounded: true }, {}],
    ['it is the deterministic planner', { entry: { ...PAID_MODEL, isFree: true } }, {}],
    [
      'it is the oracle, which answers in text',
      {},
      { agentId: 'oracle', spec: { kind: 'chat', chat, topology } },
    ],
  ])('without a call ends the work of an agent if %s', (_, turn, sketch) => {
    const { state, messages } = step({ text: 'All is well.', ...turn }, sketch);
    expect(state).toMatchObject({ stop: true, reasons: [] });
    expect(messages.map(({ role }) => role)).toEqual(['assistant']);
  });

  it('that was cut at its length is no whole answer', () => {
    const board = { turn: 2 };
    const cut = step({ text: 'All is', finishReason: 'length' }, { board });
    expect(cut.state.reasons).toEqual(['ANSWER_CUT']);
    const bounded = step({ text: 'All is', finishReason: 'length', isBounded: true }, { board });
    expect(bounded.state.reasons).toEqual(['LIMIT_REACHED']);
    expect(bounded.named('system.warning').length).toBeGreaterThan(0);
  });

  it('puts its text to the keys that the tree names', () => {
    const { session } = sessionOf();
    const turn = {
      entry: PAID_MODEL,
      text: 'x',
      calls: [],
      finishReason: 'stop',
      isBounded: false,
    };
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: true };
    const surroundings = { streamTo: ['answer'], dispatched: [], mayRepeat: () => false };
    const result = recordTurn(session.draft(), { ...turn, usage, bytes: 0 }, surroundings);
    expect(result).toMatchObject({ state: { own: { answer: 'x' } } });
    expect(session.board.own).toEqual({});
  });
});
