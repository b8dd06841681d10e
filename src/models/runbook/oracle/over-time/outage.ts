import { isClaim } from '../../../../domain/diagnosis/finding.js';
import { list } from '../../plan.js';
import type { Run } from '../facts.js';
import { fewOf, isFault, timeText } from '../replies/report.js';

/** The last time that a node was unhealthy, as far as the diagnoses that were read show it. */
export interface Outage {
  /** The last diagnosis before it that found the node well. */
  before: Run | undefined;
  /** The first and the last diagnosis that found the node unhealthy. */
  first: Run;
  last: Run;
  /** The first diagnosis after it that found the node well. */
  after: Run | undefined;
}

/** Whether a diagnosis measured a fault of a node. */
export const isUnhealthy = ({ report }: Run, node: string): boolean =>
  report?.findings.some(
    (finding) => finding.node === node && isFault(finding) && !isClaim(finding),
  ) === true;

/** Whether a diagnosis checked a node and found no fault. */
const isWell = (run: Run, node: string): boolean =>
  run.report !== null &&
  !isUnhealthy(run, node) &&
  !run.report.unchecked.some((each) => each.node === node);

/** How a diagnosis found a node. */
export const stateIn = (run: Run, node: string): 'wrong' | 'ok' | 'unknown' =>
  isUnhealthy(run, node) ? 'wrong' : isWell(run, node) ? 'ok' : 'unknown';

/** Finds the last outage of a node. @param runs diagnoses of one topology, newest first */
export function outageOf(runs: readonly Run[], node: string): Outage | undefined {
  const at = runs.findIndex((run) => isUnhealthy(run, node));
  const last = runs[at];
  if (!last) return undefined;
  const older = runs.slice(at);
  const wellAt = older.findIndex((run) => isWell(run, node));
  const unhealthy = wellAt === -1 ? older : older.slice(0, wellAt);
  return {
    before: older[wellAt],
    first: unhealthy.findLast((run) => isUnhealthy(run, node)) ?? last,
    last,
    after: runs.slice(0, at).findLast((run) => isWell(run, node)),
  };
}

/** The diagnoses that were read. */
interface Extent {
  count: number;
  /** They are all diagnoses of the topology. */
  isAll: boolean;
}

/** Says when an outage began. The exact time between two diagnoses is not known. */
export function beginText(
  name: string,
  { before, first, last }: Outage,
  extent: Extent,
  onset?: string,
): string {
  const at = timeText(first.created_at);
  const shown =
    onset === undefined ? '' : `The telemetry of ${name} shows trouble since ${timeText(onset)}. `;
  if (before) {
    const found = first === last ? '' : ` Run ${first.run_id} was the first to find it.`;
    return `${shown}${name} was healthy at ${endOf(before)} (run ${before.run_id}) and unhealthy at ${at}: it began in between.${found}`;
  }
  const oldest = extent.isAll
    ? 'no diagnosis of this topology saw it healthy before'
    : `none of the ${extent.count} diagnoses that I read saw it healthy`;
  const unknown = onset === undefined ? ', so I cannot tell since when' : '';
  return `${shown}${name} was unhealthy at ${at} already (run ${first.run_id}); ${oldest}${unknown}.`;
}

/** Says how long an outage lasted: at least, and at most if its begin and its end are known. */
export function lengthText(name: string, { before, first, last, after }: Outage): string {
  const between = (from: Run, to: Run) =>
    lengthOf(Date.parse(timeOf(to)) - Date.parse(timeOf(from)));
  const least = first === last ? [] : [`at least ${between(first, last)}`];
  const most = before && after ? [`at most ${between(before, after)}`] : [];
  const known = [...least, ...most];
  return known.length === 0
    ? `I cannot tell how long ${name} was unhealthy: one diagnosis found it.`
    : `${name} was unhealthy for ${list(known)}, by the diagnoses.`;
}

function lengthOf(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 2) return `${Math.round(ms / 1_000)} s`;
  return minutes < 120 ? `${Math.round(minutes)} minutes` : `${Math.round(minutes / 60)} hours`;
}

/** Says when an outage ended, or that no diagnosis shows its end. */
export const endText = (name: string, { last, after }: Outage): string =>
  after
    ? `${name} was last found unhealthy at ${timeText(last.created_at)} (run ${last.run_id}) and was healthy at ${endOf(after)} (run ${after.run_id}): it recovered in between.`
    : `${stillText(name, last)}, and no later diagnosis shows whether it has recovered.`;

/** Begins a sentence about a node that the last diagnosis that checked it found unhealthy. */
export const stillText = (name: string, last: Run): string =>
  `${name} was still unhealthy at ${endOf(last)} (run ${last.run_id})`;

/**
 * Answers whether something is fixed that was not wrong.
 * @param isNow it was measured to be well just now
 */
export function intactText(nodes: readonly { name: string }[], run: Run, isNow: boolean): string {
  const [was, is] = nodes.length === 1 ? ['was', 'is'] : ['were', 'are'];
  const names = list(fewOf(nodes.map(({ name }) => name)));
  return `${names} ${was} not wrong in the diagnosis of ${endOf(run)}${isNow ? ` and ${is} not now` : ''}.`;
}

const timeOf = ({ ended_at, created_at }: Run): string => ended_at ?? created_at;
const endOf = (run: Run): string => timeText(timeOf(run));
