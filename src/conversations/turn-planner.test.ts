import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryConversations } from '../../test/support/memory/memory-conversations.js';
import { NO_TOPOLOGY } from '../domain/chat/chat.js';
import type { DeferredNotices } from '../runs/deferred-notices.js';
import type { OracleRequest } from './oracle-request.js';
import type { Ground, TurnGround } from './turn-ground.js';
import { TurnPlanner } from './turn-planner.js';

const RUN = '01960d3c-5f2a-7cc0-8000-0123456789ab';

let memory: MemoryConversations;
/** The topologies that turns were said to continue. */
let kept: (number | undefined)[];
let planner: TurnPlanner;
beforeEach(() => {
  memory = new MemoryConversations();
  kept = [];
  const ground = {
    of: async (
      owner: string,
      turn: OracleRequest,
      topologyId: number | undefined,
    ): Promise<Ground> => {
      kept.push(topologyId);
      const spec = { ...memory.spec('', '', turn.message), owner, topology: NO_TOPOLOGY };
      const warnings = turn.lenient ? [{ code: 'UNKNOWN_MODEL', message: 'There is none.' }] : [];
      return { spec, about: undefined, model: turn.model, contextWindow: 8_000, warnings };
    },
  } as TurnGround;
  const notices = { waiting: async () => [] } as unknown as DeferredNotices;
  planner = new TurnPlanner(memory.store, memory.answers, memory.exchanges, ground, notices);
});

const plan = (turn: Partial<OracleRequest>) =>
  planner.plan('me', { message: 'Why?', ...turn }, RUN);

describe('TurnPlanner', () => {
  it('begins a conversation of its own for a turn that names none', async () => {
    const { spec, events } = await plan({});
    expect(spec.chat).toEqual({
      sessionId: 'sess_0123456789ab',
      contextId: 'sess_0123456789ab~0123456789ab',
      parent: null,
      history: [],
    });
    expect(events).toMatchObject([
      {
        name: 'lifecycle.started',
        data: {
          kind: 'chat',
          topology_id: null,
          session_id: 'sess_0123456789ab',
          user_message: 'Why?',
          max_context_tokens: 8_000,
        },
      },
    ]);
  });

  it('continues the head of a conversation with its history and topology', async () => {
    const first = memory.spec('c', 'c~1', 'What is wrong?');
    await memory.turn('r1', { ...first, topology: { ...NO_TOPOLOGY, id: 7 } }, { says: 'A disk.' });
    const { spec } = await plan({ conversationId: 'c' });
    expect(spec.chat).toMatchObject({
      parent: 'c~1',
      history: [
        { role: 'user', text: 'What is wrong?' },
        { role: 'assistant', text: 'A disk.' },
      ],
    });
    expect(kept).toEqual([7]);
  });

  it('replaces the head if the turn is asked again', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'One?'), { says: '1.' });
    await memory.turn('r2', memory.spec('c', 'c~2', 'Two?', 'c~1'), { says: '2.' });
    expect((await plan({ conversationId: 'c', again: true })).spec.chat?.parent).toBe('c~1');
    expect((await plan({ conversationId: 'c', node: 'c~1' })).spec.chat?.parent).toBe('c~1');
  });

  it('cancels what is running, and nothing if the turn is refused', async () => {
    await memory.turn('r1', memory.spec('c', 'c~1', 'Slow?'), { says: 'It ', ends: false });
    await expect(plan({ conversationId: 'c', node: 'c~9' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(memory.cancelled).toEqual([]);
    const { spec } = await plan({ conversationId: 'c' });
    expect(memory.cancelled).toEqual(['r1']);
    expect(spec.chat?.history.at(-1)?.text).toBe('It \n\n(This answer was cut off.)');
  });

  it.each([
    ['seen', true],
    [undefined, undefined],
  ])('knows whether an earlier turn had a context: %s', async (context, hasRead) => {
    const spec = memory.spec('c', 'c~1', 'One?');
    Object.assign(spec.chat ?? {}, context === undefined ? {} : { context });
    await memory.turn('r1', spec);
    await memory.turn('r2', memory.spec('c', 'c~2', 'Two?', 'c~1'));
    expect((await plan({ conversationId: 'c' })).spec.chat?.hasRead).toBe(hasRead);
  });

  it("refuses another caller's conversation", async () => {
    await memory.store.create('c', 'you', 'Mine');
    await expect(plan({ conversationId: 'c' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('refuses the 501st message of a conversation', async () => {
    for (let i = 0; i < 500; i++)
      await memory.store.add('c', 'me', {
        title: 'c',
        contextId: `c~${i}`,
        exchange: { parent: null, runId: `r${i}`, question: '?' },
      });
    await expect(plan({ conversationId: 'c' })).rejects.toThrow('has 500 messages');
  });

  it('passes on what the turn wishes, and writes what was replaced as warnings', async () => {
    const { spec, events } = await plan({
      context: 'seen',
      clientRunId: 'mine',
      thinking: true,
      model: 'm',
      lenient: true,
    });
    expect(spec.chat).toMatchObject({
      context: 'seen',
      clientRunId: 'mine',
      thinking: true,
      model: 'm',
    });
    expect(events[1]).toEqual({
      name: 'system.warning',
      source: null,
      data: { code: 'UNKNOWN_MODEL', message: 'There is none.' },
    });
  });
});
