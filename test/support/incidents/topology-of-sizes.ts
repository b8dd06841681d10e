import type { Topology } from '../../../src/domain/topology/topology.js';
import { spec } from './drafts.js';

const [team] = spec.topology.teams;
const [worker] = team?.workers ?? [];

/** A topology whose teams have so many workers: `w0-0`, `w0-1`, …, `w1-0`. */
export const topologyOfSizes = (sizes: readonly number[]): Topology => ({
  ...spec.topology,
  teams: sizes.map((size, t) => ({
    ...(team as NonNullable<typeof team>),
    workers: Array.from({ length: size }, (_, i) => ({
      ...(worker as NonNullable<typeof worker>),
      agentId: `w${t}-${i}`,
    })),
  })),
});
