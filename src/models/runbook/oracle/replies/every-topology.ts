import { list } from '../../plan.js';
import type { TopologyRow, Run } from '../facts.js';
import { fewOf, timeText, type DiagnosedRun } from './report.js';
import { stateLines, UNHEALTHY } from './states.js';
import { verdictText } from './verdict.js';

/** First lines of a list of what is broken, and of what was. */
const EVERYWHERE = 'The latest verdict of every topology:';
const EVERYWHERE_THEN = 'The last diagnosis of every topology that found something:';

const EVERYWHERE_NODES = 'The nodes of every topology, by the latest diagnoses:';
const HEADINGS: ReadonlySet<string> = new Set([EVERYWHERE, EVERYWHERE_THEN, EVERYWHERE_NODES]);

/** Whether a line heads a list of all topologies. */
export const isEverywhereHeading = (line: string): boolean => HEADINGS.has(line);

/** A topology with its latest completed diagnosis. */
export interface LatestRun {
  topology: TopologyRow;
  run: Run | undefined;
}

/**
 * Lists what is broken, by the latest diagnosis of every topology.
 * @param asksForHealthy lists what is healthy instead
 */
export function everywhereText(
  all: readonly LatestRun[],
  total: number,
  asksForHealthy: boolean,
): string {
  if (all.length === 0) return 'There is no topology yet: POST one to /api/service/v1/topologies.';
  const more =
    total > all.length ? [`${total - all.length} more topologies were not checked.`] : [];
  return [
    EVERYWHERE,
    ...everywhereLines(all, asksForHealthy),
    ...more,
    'For what is now, ask me to "diagnose topology N".',
  ].join('\n');
}

/**
 * Lists what was broken, by the last diagnosis of every topology that found a failure, and which of
 * these topologies are healthy by their latest one.
 * @param then each topology with that diagnosis, or without a diagnosis if none found a failure
 */
export function everywhereThenText(
  then: readonly LatestRun[],
  latest: readonly LatestRun[],
): string {
  const failed = then.filter(({ run }) => run);
  const without = then.filter(({ run }) => !run);
  const isHealthy = ({ topology: { id } }: LatestRun) =>
    latest.some((each) => each.topology.id === id && kindOf(each) === KINDS[2]);
  const healthy = failed.filter(isHealthy);
  const names = (all: readonly LatestRun[]) => list(fewOf(all.map(nameText)));
  return [
    EVERYWHERE_THEN,
    ...verdictLines(failed),
    ...(without.length > 0 ? [`- In the last diagnoses of ${names(without)}: nothing.`] : []),
    ...(healthy.length > 0
      ? [
          `By the latest diagnosis, ${names(healthy)} ${healthy.length === 1 ? 'is' : 'are'} healthy.`,
        ]
      : []),
  ].join('\n');
}

/** Lists the nodes of each topology that are well, or those that are not, by their states. */
export function everywhereNodesText(all: readonly DiagnosedRun[], asksForWell: boolean): string {
  const shown = all.flatMap((each) => {
    const lines = stateLines(each, { states: asksForWell ? ['healthy'] : UNHEALTHY });
    return lines.length === 0 ? [] : [`- ${runName(each)}: ${lines.join(' ')}`];
  });
  const rest = all.filter((each) => stateLines(each, { states: UNHEALTHY }).length === 0);
  const none = `Not healthy: none in ${list(fewOf(rest.map(runName)))}.`;
  return [
    EVERYWHERE_NODES,
    ...shown,
    ...(asksForWell || rest.length === 0 ? [] : [`- ${none}`]),
  ].join('\n');
}

const runName = ({ run }: DiagnosedRun): string =>
  `${run.topology_name} (topology ${run.topology_id})`;

const BY_VERDICT = ['root_cause_found', 'issues_found', 'inconclusive'];

/** The worst first, and what was not diagnosed before what is healthy. */
const rankOf = (run: Run | undefined): number => {
  const at = BY_VERDICT.indexOf(run?.report?.verdict ?? 'inconclusive');
  return at === -1 ? BY_VERDICT.length : at;
};

const KINDS = ['not found to be healthy', 'not diagnosed yet', 'healthy'] as const;

const kindOf = ({ run }: LatestRun): (typeof KINDS)[number] =>
  run === undefined ? KINDS[1] : run.report?.verdict === 'healthy' ? KINDS[2] : KINDS[0];

/**
 * Lists the topologies that are not healthy, or the healthy ones if those are asked for or all are,
 * and counts the rest in one line each.
 */
export function everywhereLines(all: readonly LatestRun[], asksForHealthy = false): string[] {
  const isAnyUnhealthy = all.some((each) => kindOf(each) === KINDS[0]);
  const shown = asksForHealthy || !isAnyUnhealthy ? KINDS[2] : KINDS[0];
  const those = (kind: string) => all.filter((each) => kindOf(each) === kind);
  const counted = KINDS.filter((kind) => kind !== shown).flatMap((kind) => {
    const rest = those(kind);
    const names = list(fewOf(rest.map(nameText)));
    const is = rest.length === 1 ? 'is' : 'are';
    return rest.length === 0 ? [] : [`- ${rest.length} ${is} ${kind}: ${names}.${reachText(rest)}`];
  });
  return [...verdictLines(those(shown)), ...counted];
}

/** Names the healthy topologies of which some nodes were only found to answer. */
function reachText(all: readonly LatestRun[]): string {
  const partly = all.filter(
    (each) =>
      kindOf(each) === KINDS[2] && each.run?.report?.nodes?.some((node) => node.reached_only),
  );
  const of = list(fewOf(partly.map(({ topology }) => topology.name)));
  return partly.length === 0
    ? ''
    : ` Of some nodes of ${of} it was only measured that they answer.`;
}

export const nameText = ({ topology: { id, name } }: LatestRun): string =>
  `${name} (topology ${id})`;

/** Each topology with its latest verdict, in an item of a list, the worst first. */
export const verdictLines = (all: readonly LatestRun[]): string[] =>
  all
    .toSorted((a, b) => rankOf(a.run) - rankOf(b.run))
    .map((each) =>
      each.run
        ? `- ${nameText(each)}: ${verdictText({ run: each.run, shape: undefined })} Diagnosed at ${timeText(each.run.ended_at ?? each.run.created_at)}, run ${each.run.run_id}.`
        : `- ${nameText(each)}: not diagnosed yet.`,
    );
