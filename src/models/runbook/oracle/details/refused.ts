import type { Topic } from './topics.js';

const REFUSED = /\bconnections? refused\b|\bECONNREFUSED\b|\brefuses connections\b/i;

export const REACHED =
  'A host that refuses a connection was reached, so the network is not at fault.';

/**
 * Whether all that is wrong about the network is that connections were refused.
 * @param faults what is wrong about a topic
 */
export const wereReached = ({ kinds = [] }: Topic, faults: readonly string[]): boolean =>
  kinds.includes('network-delay') &&
  faults.length > 0 &&
  faults.every((each) => REFUSED.test(each));
