import { clip } from '../../lib/text.js';
import type { NextStepCatalogue } from '../prompt/prompts.js';
import { isObserved } from '../topology/recorded.js';
import type { Topology } from '../topology/topology.js';
import { lastReports, type AgentReport } from './agent-report.js';
import { countFindings, headlineOf, impactOf, verdictOf } from './verdict.js';
import {
  bySeverity,
  isFailure,
  symptomOf,
  type Finding,
  type NodeHealth,
  type NodeState,
  type Repair,
  type Report,
  type ReportCitation,
  type RootCause,
} from './finding.js';
import { candidatesOf } from './candidates.js';
import { citationOf } from './citation.js';
import { completeCause } from './complete-cause.js';
import { currentMeasurements, type Current } from './current-measurements.js';
import { doubting } from './doubts.js';
import { hintsAtDependencies } from './hints-at-dependencies.js';
import { isOfNode, isOfService, type Measurement } from './measurement.js';
import { nextSteps } from './steps/next-steps.js';
import { unreadChanges } from './unchecked/unread-telemetry.js';
import type { MeasuredPlace } from './steps/step-command.js';
import { recentChangesAt } from './recent-changes.js';
import { asInformation, reconcile, type UnsupportedClaim } from './reconcile.js';
import {
  explainedBy,
  latestRanking,
  namedBy,
  rankedCauses,
  withoutExplained,
} from './ranked-causes.js';
import { findRootCauses, type CauseAnalysis } from './root-cause.js';
import { uncheckedNodes } from './unchecked/unchecked.js';

/** Maximum code points of the agent's own text. */
const MOST_NARRATIVE = 4_000;

/** A report with every field that a conclusion fills. */
type FullReport = Required<Omit<Report, 'repairs'>> & Pick<Report, 'repairs'>;

export interface RunConclusion {
  report: FullReport;
  /** Claims that were dropped: `UNSUPPORTED_CLAIM`. */
  dropped: UnsupportedClaim[];
  /** Measured findings that no agent reported: `UNREPORTED_MEASUREMENT`. */
  unreported: Finding[];
  /** An agent failed or is partial. */
  incomplete: boolean;
  /** Why, without repetition. */
  reasons: string[];
}

interface ConclusionOptions {
  /** `cut`: the run was cancelled or failed, so that no root cause is concluded. */
  ended?: 'completed' | 'cut';
  /** The catalogue of next steps; none: the report has only what agents propose. */
  nextSteps?: NextStepCatalogue;
  /** Changes that agents asked for. */
  repairs?: readonly Repair[];
}

/**
 * Concludes a run: measurements decide, agents explain. Pure; the order of `all` measurements and
 * `reports` does not matter. Contract section 6.
 * @param reports of all agents, the one at the top included
 */
export function concludeRun(
  topology: Pick<Topology, 'nodes' | 'teams' | 'scope' | 'sources'>,
  all: readonly Measurement[],
  reports: readonly AgentReport[],
  { ended = 'completed', nextSteps: catalogue = {}, repairs = [] }: ConclusionOptions = {},
): RunConclusion {
  const measurements = all.filter(({ ranking }) => ranking === undefined);
  const current = currentMeasurements(measurements);
  const unmeasured = uncheckedNodes(topology, all, { ...current, isCut: ended === 'cut' }, reports);
  const known = reconcile(topology, { all, current }, reports);
  const { findings: measured } = known;
  const last = [...lastReports(reports).values()].filter(({ status }) => status !== null);
  const short = last.filter(({ status }) => status !== 'ok');

  const health = healthOf(current, measured);
  const hints = hintsAtDependencies(
    topology,
    current.measurements,
    (node) => !health.decided.has(node),
  );
  const { transportOnly } = health;
  const conclusion = findRootCauses(topology.nodes, measured, {
    unchecked: unmeasured,
    transportOnly,
  });
  const { downstream: explained } = conclusion;
  const ranked = withoutExplained(rankedCauses(topology, all), topology, {
    findings: measured,
    downstream: explained,
  });
  const ruled = conclusion.rootCauses.filter(
    ({ node }) => !ranked.rootCauses.some((cause) => cause.node === node),
  );
  // A ranking has also read the telemetry of nodes to which no worker was dispatched.
  const unread = isObserved(topology.sources)
    ? unmeasured.filter(({ reason }) => reason !== 'NOT_MEASURED')
    : unmeasured;
  const doubted = doubting(topology.nodes, { unchecked: unread, transportOnly });
  const complete = (cause: RootCause) =>
    completeCause(cause, {
      nodes: topology.nodes,
      measured,
      hints,
      well: health.well,
      measurements: current.measurements,
    });
  const causes = withoutEachOther([
    ...ranked.rootCauses.map(doubted).map(namedBy(conclusion.rootCauses)).map(complete),
    ...ruled.map(complete).toSorted((a, b) => b.confidence - a.confidence),
  ]);
  const rootCauses = ended === 'cut' ? [] : causes;
  const {
    findings: telemetry,
    claims,
    unreported: unreportedRanking,
  } = explainedBy(ranked, {
    reports,
    sequence: latestRanking(all)?.sequence,
    measured: new Set(
      all.flatMap(({ node, sequence }) => (node === ranked.findings[0]?.node ? [sequence] : [])),
    ),
    claims: known.claims,
  });
  // An issue was found there, so the incomplete measurement hides nothing.
  const unhealthy = new Set(telemetry.filter(isFailure).map(({ node }) => node));
  const unchecked = unmeasured.filter(({ node }) => !unhealthy.has(node));
  const findings = [
    ...telemetry,
    ...conclusion.findings,
    ...hints,
    ...recentChangesAt(causes, all),
    ...claims.map(asInformation),
  ].toSorted(bySeverity);

  // Telemetry that was not ranked may contain a cause that no single node shows.
  const unranked =
    isObserved(topology.sources) && all.every(({ ranking }) => ranking === undefined);
  const incomplete = short.length > 0;
  const verdict = verdictOf(
    rootCauses,
    findings,
    unchecked,
    incomplete || unranked || ended === 'cut',
  );
  const open = new Set(unchecked.map(({ node }) => node));
  const isCause = new Set(causes.map(({ node }) => node));
  const downstream = [...explained, ...ranked.affected].filter((node) => !isCause.has(node));
  const nodes = topology.nodes.map(({ id }): NodeHealth => ({
    node: id,
    state: stateOf(id, { downstream, findings: [...telemetry, ...conclusion.findings] }, open),
    ...(transportOnly.has(id) && !open.has(id) && { reached_only: true }),
  }));
  const { passed, refutation } = latestRanking(all)?.ranking ?? {};
  const seen = { topology, findings, unchecked, nodes, passed, refutation };
  const facts = { ...seen, verdict, rootCauses, ended, incomplete };
  const report: FullReport = {
    verdict,
    headline: headlineOf(facts),
    root_causes: rootCauses,
    candidates: candidatesOf(rootCauses, ranked, conclusion, hints),
    findings,
    nodes,
    unchecked,
    next_steps: nextSteps(
      topology,
      {
        rootCauses,
        findings,
        unchecked,
        changed: changedSince(all, repairs),
        unreadChanges: unreadChanges(topology, all),
        silent: measured.filter((each) => isSilent(each) && downstream.includes(each.node)),
        places: placesIn(all),
      },
      reports,
      catalogue,
    ),
    impact: impactOf(facts),
    citations: citationsOf([...rootCauses, ...findings, ...unchecked], all),
    narrative: clip(
      reports.find(({ dispatchId }) => dispatchId === null)?.summary.trim() ?? '',
      MOST_NARRATIVE,
    ),
    counts: countFindings(findings),
    ...(repairs.length > 0 && { repairs: [...repairs] }),
  };
  const reasons = [...new Set(short.flatMap((each) => each.reasons))];
  return {
    report,
    dropped: known.dropped,
    incomplete,
    reasons,
    unreported: [...known.unreported, ...unreportedRanking],
  };
}

/** Whether nothing answers at the node's own address. */
const isSilent = (finding: Finding): boolean =>
  finding.severity === 'critical' && symptomOf(finding) === 'unreachable';

/** Where nodes were measured last, by id. */
function placesIn(all: readonly Measurement[]): Map<string, MeasuredPlace> {
  const places = new Map<string, MeasuredPlace>();
  for (const { node, target, workload, hidden } of all) {
    const known = places.get(node) ?? {};
    places.set(node, {
      target: target ?? known.target,
      workload: workload ?? known.workload,
      isHidden: known.isHidden === true || hidden !== undefined,
    });
  }
  return places;
}

/** A root cause is not affected by another one, and is not explained by it. */
function withoutEachOther(causes: readonly RootCause[]): RootCause[] {
  const nodes = new Set(causes.map(({ node }) => node));
  return causes.map(({ explains, ...cause }) => {
    const others = explains?.filter((node) => !nodes.has(node)) ?? [];
    return { ...cause, ...(others.length > 0 && { explains: others }) };
  });
}

/**
 * Nodes that a repair has changed and that were not measured afterwards: the known facts about them
 * are older.
 */
const changedSince = (all: readonly Measurement[], repairs: readonly Repair[]): string[] => {
  const changed = repairs.filter(
    ({ node, outcome, evidence: [at = 0] }) =>
      outcome === 'done' && !all.some((each) => each.node === node && each.sequence > at),
  );
  return [...new Set(changed.map(({ node }) => node))];
};

interface Health {
  /** Nodes with a measurement of their service, or with an issue of their own. */
  decided: Set<string>;
  /** Nodes of which only the transport was measured, without an issue. */
  transportOnly: Set<string>;
  /** Nodes whose service was measured, without an issue. */
  well: Set<string>;
}

function healthOf(current: Current, findings: readonly Finding[]): Health {
  const measurements = current.measurements.filter(isOfNode);
  const unhealthy = new Set(findings.filter(isFailure).map(({ node }) => node));
  const ofService = new Set(measurements.filter(isOfService).map(({ node }) => node));
  const touched = new Set(measurements.map(({ node }) => node));
  return {
    decided: new Set([...unhealthy, ...ofService]),
    transportOnly: new Set(
      [...touched].filter((node) => !ofService.has(node) && !unhealthy.has(node)),
    ),
    well: new Set([...ofService].filter((node) => !unhealthy.has(node))),
  };
}

function stateOf(
  node: string,
  { findings, downstream }: Pick<CauseAnalysis, 'findings' | 'downstream'>,
  unchecked: ReadonlySet<string>,
): NodeState {
  if (downstream.includes(node)) return 'downstream';
  const own = findings.filter((finding) => finding.node === node && finding.severity !== 'info');
  if (own.some(({ severity }) => severity === 'critical')) return 'failed';
  if (own.length > 0) return 'degraded';
  return unchecked.has(node) ? 'unknown' : 'healthy';
}

function citationsOf(
  claims: readonly { evidence?: number[] }[],
  measurements: readonly Measurement[],
): ReportCitation[] {
  const cited = new Set(claims.flatMap(({ evidence = [] }) => evidence));
  return measurements
    .filter(({ sequence }) => cited.has(sequence))
    .toSorted((a, b) => a.sequence - b.sequence)
    .map(citationOf);
}
