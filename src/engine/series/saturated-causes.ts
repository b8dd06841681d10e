import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { RankedCause } from '../ranking.js';
import type { IncidentFrame, Series } from '../../domain/telemetry/records.js';
import { showNumber } from '../stats.js';
import { saturations, type Saturation } from './saturation.js';

const KINDS: Record<Saturation['resource'], FailureKind> = {
  cpu: 'cpu-saturated',
  memory: 'memory',
  disk: 'disk-full',
  other: 'capacity',
};
/** An exhausted resource is ranked before anything that is only slow or broken. */
const SATURATED = 6;

/** Nodes with an exhausted resource, one cause for each resource. */
export const saturatedCauses = (series: readonly Series[], frame: IncidentFrame): RankedCause[] =>
  saturations(series, frame).map(({ node, name, usual, top, share, resource }) => ({
    node,
    score: SATURATED + share,
    confidence: 0.9,
    against: [],
    kind: KINDS[resource],
    title: `${name} is at ${showNumber(top)}, usually ${showNumber(usual)}`,
    for: [`${name} rose from ${showNumber(usual)} to ${showNumber(top)}`],
  }));
