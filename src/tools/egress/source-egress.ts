import type { Egress } from '../../sources/http/source-server.js';
import type { EgressPolicy } from './egress-policy.js';
import { countedAddress } from '../limits/counted-address.js';
import { LocalConnectionLimiter } from '../limits/local-connection-limiter.js';
import { ProbePlaces } from '../limits/probe-places.js';

/** How sources connect: to the same targets as tools, and with the same limits. */
export const sourceEgress = (
  policy: EgressPolicy,
  places = new ProbePlaces(new LocalConnectionLimiter()),
): Egress => ({
  resolve: (target) => policy.resolve(target),
  enter: async (target, signal) => {
    const address = await countedAddress(target, policy);
    return places.enter({ ...target, tool: 'sources', address }, signal);
  },
});
