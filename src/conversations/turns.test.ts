import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryConversations } from '../../test/support/memory/memory-conversations.js';
import type { Config } from '../config/config.js';
import type { RunSpec } from '../domain/run.js';
import type { Idempotency } from '../runs/idempotency.js';
import type { RunStarter } from '../runs/run-starter.js';
import type { CallerTurns } from './caller-turns.js';
import type { MessageQuota } from './message-quota.js';
import { TurnAdmission } from './turn-admission.js';
import type { TurnPlanner } from './turn-planner.js';
import { Turns } from './turns.js';

const KEYED = { key: 'k', path: '/chat/stream', resumes: false };

let memory: MemoryConversations;
let calls: string[];
let full: { usage: number; limit: number } | undefined;
let known: Map<string, string>;
beforeEach(() => {
  memory = new MemoryConversations();
  calls = [];
  full = undefined;
  known = new Map();
});

function admission(oracle: 'on' | 'off' = 'on'): TurnAdmission {
  const idempotency = {
    runOf: async (key: string, _: object, { runId }: { runId: string }) => {
      if (!known.has(key)) known.set(key, runId);
      return known.get(key);
    },
  } as unknown as Idempotency;
  const quota = {
    take: async () => full,
    giveBack: async () => void calls.push('give back'),
  } as unknown as MessageQuota;
  return new TurnAdmission(memory.log, idempotency, quota, { oracle } as Config, {
    now: () => Date.now(),
  });
}

function turns(plan: () => RunSpec = () => memory.spec('c', 'c~1', 'Why?')): Turns {
  const planner = {
    plan: async () => ({ spec: plan(), events: [] }),
  } as unknown as TurnPlanner;
  const starter = {
    accept: async (runId: string, spec: RunSpec) => {
      await memory.log.create(runId, spec, []);
      calls.push('accept');
      return { runId, spec, start: async () => undefined };
    },
  } as unknown as RunStarter;
  const callers = {
    begin: async (owner: string, { joins }: { joins: boolean }) =>
      void calls.push(`begin ${owner} ${joins}`),
  } as unknown as CallerTurns;
  return new Turns(admission(), planner, starter, memory.exchanges, callers);
}

describe('Turns', () => {
  it('accepts a turn and enters it into its conversation', async () => {
    const { runId, joins } = await turns().accept('me', { message: 'Why?', exclusive: true });
    expect(joins).toBe(false);
    expect((await memory.store.get('c', 'me'))?.exchanges.get('c~1')?.runId).toBe(runId);
    expect(calls).toEqual(['accept', 'begin me false']);
  });

  it('joins the turn of a repeated request', async () => {
    const first = await turns().accept('me', { message: 'Why?' }, KEYED);
    const second = await turns().accept('me', { message: 'Why?' }, { ...KEYED, resumes: true });
    expect([second.runId, second.joins]).toEqual([first.runId, true]);
    expect(calls).toEqual(['accept']);
  });

  it('gives the place in the quota back if the turn is refused', async () => {
    const refused = turns(() => {
      throw new Error('no');
    });
    await expect(refused.accept('me', { message: 'Why?' })).rejects.toThrow('no');
    expect(calls).toEqual(['give back']);
  });

  it("refuses a turn of another caller's conversation and cancels its run", async () => {
    await memory.store.create('c', 'you', 'Mine');
    await expect(turns().accept('me', { message: 'Why?' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(memory.cancelled).toHaveLength(1);
  });
});

describe('TurnAdmission', () => {
  it('refuses if the oracle is switched off', async () => {
    await expect(admission('off').admit('me', { message: '?' }, undefined)).rejects.toMatchObject({
      code: 'FEATURE_DISABLED',
    });
  });

  it('refuses a caller without a message left, until the next month', async () => {
    full = { usage: 5, limit: 5 };
    await expect(admission().admit('me', { message: '?' }, undefined)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      options: {
        details: { usage: 5, limit: 5 },
        retryAfterSeconds: expect.any(Number),
      },
    });
  });

  it('does not start a turn again whose stream is resumed and gone', async () => {
    known.set('k', 'an earlier run');
    await expect(
      admission().admit('me', { message: '?' }, { ...KEYED, resumes: true }),
    ).rejects.toMatchObject({ code: 'RUN_EXPIRED' });
    // One that was never started is started now.
    expect(await admission().admit('me', { message: '?' }, KEYED)).toEqual({
      runId: 'an earlier run',
    });
  });
});
