import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { ModelLimiter } from '../../../src/models/calls/model-limiter.js';
import type { LimitedModel } from '../../../src/models/calls/limiter-types.js';
import { until } from '../../support/until.js';

/**
 * After all work has ended, no call holds a permit of the model, no caller waits for one, and all
 * permits are granted again.
 * @param expireMs time for the leases and places of processes that died to expire
 * @returns what was broken
 */
export async function checkLimiter(
  redis: Redis,
  prefix: string,
  model: LimitedModel & { limits: { concurrency: number } },
  expireMs: number,
): Promise<string[]> {
  const limiter = new ModelLimiter(redis, prefix);
  const problems: string[] = [];
  const isIdle = async () => {
    const { calls, waiting, heldUntil } = await limiter.inspect(model);
    return calls + waiting === 0 && heldUntil === null;
  };
  await until('no call and no caller is left', isIdle, expireMs).catch(async () => {
    problems.push(`the model is not idle: ${JSON.stringify(await limiter.inspect(model))}`);
  });
  const callers = Array.from({ length: model.limits.concurrency + 1 }, () => ({
    id: randomUUID(),
    priority: 9,
  }));
  const kinds: string[] = [];
  for (const caller of callers) {
    const entered = await limiter.acquire(model, caller, true);
    kinds.push(entered.kind);
    if (entered.kind !== 'granted') await limiter.leaveQueue(model, caller.id);
  }
  const granted = kinds.filter((kind) => kind === 'granted').length;
  if (granted !== model.limits.concurrency)
    problems.push(`${granted} of ${model.limits.concurrency} permits of the model are free`);
  return problems;
}
