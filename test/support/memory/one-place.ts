import { randomUUID } from 'node:crypto';
import {
  type ProbeAdmission,
  type ConnectionLimiter,
  countedBy,
  type PlaceRequest,
  type ProbeTarget,
} from '../../../src/tools/limits/connection-limiter.js';

/** An exchange of a process about one host that asks for nothing. */
export const requestOf = (target: ProbeTarget): PlaceRequest => ({
  host: countedBy(target),
  process: randomUUID(),
  ended: [],
  withdrawn: [],
  held: [],
  wanted: [],
});

/** Asks for one place, as a process of its own that does not wait for it. `leave` gives it back. */
export async function onePlace(
  limiter: ConnectionLimiter,
  target: ProbeTarget,
): Promise<{ admission: ProbeAdmission; ms: number | undefined; leave: () => Promise<unknown> }> {
  const request = requestOf(target);
  const probe = { target, token: randomUUID() };
  const { admissions, again } = await limiter.exchange({ ...request, wanted: [probe] });
  const [admission] = admissions;
  if (!admission) throw new Error('no answer');
  if (again) await limiter.exchange(request);
  const leave = () => limiter.exchange({ ...request, ended: [probe] });
  return { admission, ms: again?.ms, leave };
}
