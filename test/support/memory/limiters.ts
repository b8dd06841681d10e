import { ModelLimiter } from '../../../src/models/calls/model-limiter.js';
import type { Lease, LimitedModel } from '../../../src/models/calls/limiter-types.js';
import { until } from '../until.js';

/** A model that takes two calls at a time. */
export const two: LimitedModel = { name: 'm', limits: { concurrency: 2 } };

/** Asks once for a lease. */
export const asked = (of: ModelLimiter, id: string, model = two, priority = 1) =>
  of.acquire(model, { id, priority });

/** Asks once for a lease, which must be granted. */
export async function granted(
  of: ModelLimiter,
  id: string,
  model = two,
  priority = 1,
): Promise<Lease> {
  const entered = await asked(of, id, model, priority);
  if (entered.kind !== 'granted') throw new Error(`${id}: ${JSON.stringify(entered)}`);
  return entered.lease;
}

/** Asks repeatedly until the lease is granted. */
export const inTime = (of: ModelLimiter, id: string, model = two, priority = 1): Promise<Lease> =>
  until(`the lease of ${id}`, () => granted(of, id, model, priority).catch(() => undefined));
