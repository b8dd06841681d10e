import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { Config } from '../config/config.js';
import { LIMIT_NAMES } from '../domain/limits/limit-bounds.js';
import type { RunControl } from '../runs/run-control.js';
import { AgentConfig } from './agent-config.js';
import { CallerTurns } from './caller-turns.js';
import type { AcceptedTurn } from './oracle-request.js';

const config = { redisPrefix: 'test' } as Config;

let kept: Map<string, string>;
/** The few commands that hold a text for a caller. */
const redis = {
  get: async (key: string) => kept.get(key) ?? null,
  getdel: async (key: string) => {
    const value = kept.get(key) ?? null;
    kept.delete(key);
    return value;
  },
  set: async (key: string, value: string, ...options: unknown[]) => {
    const before = kept.get(key) ?? null;
    if (!(options.includes('NX') && before !== null)) kept.set(key, value);
    return options.includes('GET') ? before : 'OK';
  },
  unlink: async (key: string) => Number(kept.delete(key)),
} as unknown as Redis;
beforeEach(() => void (kept = new Map()));

describe('CallerTurns', () => {
  let cancelled: string[];
  const turns = () => {
    cancelled = [];
    const control = {
      cancel: async (runId: string) => {
        cancelled.push(runId);
        return { now: true };
      },
    } as unknown as RunControl;
    return new CallerTurns(redis, config, control);
  };
  const turn = (runId: string, joins = false) => ({ runId, joins }) as AcceptedTurn;

  it('cancels the turn before, of the same caller only', async () => {
    const callers = turns();
    await callers.begin('me', turn('r1'));
    await callers.begin('you', turn('r2'));
    await callers.begin('me', turn('r3'));
    expect(cancelled).toEqual(['r1']);
  });

  it('does not replace a newer turn by one that is joined', async () => {
    const callers = turns();
    await callers.begin('me', turn('r2'));
    await callers.begin('me', turn('r1', true));
    expect(cancelled).toEqual([]);
    await callers.cancel('me');
    expect(cancelled).toEqual(['r2']);
  });

  it('cancels the running turn of a caller, once', async () => {
    const callers = turns();
    await callers.begin('me', turn('r1'));
    expect([await callers.cancel('me'), await callers.cancel('me')]).toEqual([true, false]);
  });
});

describe('AgentConfig', () => {
  const settings = new AgentConfig(redis, config);

  it('shows all limits in snake_case, with the defaults of chats', async () => {
    const shown = await settings.show('me');
    expect(Object.keys(shown)).toHaveLength(LIMIT_NAMES.length);
    expect(shown).toMatchObject({ max_iterations: 15, timeout_seconds: 120, token_budget: 50_000 });
  });

  it('sets what is given and keeps the rest, for each caller', async () => {
    await settings.set('me', { max_iterations: 3 });
    const shown = await settings.set('me', { timeout_seconds: 60 });
    expect(shown).toMatchObject({ max_iterations: 3, timeout_seconds: 60 });
    expect(await settings.of('me')).toEqual({ maxIterations: 3, timeoutSeconds: 60 });
    expect(await settings.of('you')).toEqual({});
    expect(await settings.reset('me')).toMatchObject({ max_iterations: 15 });
  });

  it('refuses unknown names and values out of bounds, all at once', async () => {
    const refused = settings.set('me', { max_iterations: 99, maxIterations: 3 });
    await expect(refused).rejects.toMatchObject({
      options: {
        faults: [
          { path: 'max_iterations', message: 'must be an integer from 1 to 50' },
          { path: 'maxIterations', message: expect.stringMatching(/^is not a limit; allowed: /) },
        ],
      },
    });
    expect(await settings.of('me')).toEqual({});
  });
});
