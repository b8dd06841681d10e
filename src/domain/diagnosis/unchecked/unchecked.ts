import { groupBy } from '../../../lib/group-by.js';
import type { Topology } from '../../topology/topology.js';
import { NODE_KINDS } from '../../topology/topology-warnings.js';
import { hasFinished, lastReports, type AgentReport } from '../agent-report.js';
import { bySubject, type Current } from '../current-measurements.js';
import { isFailure, type Unchecked, type UncheckedReason } from '../finding.js';
import { unreadTelemetry } from './unread-telemetry.js';
import { isMeasured, isOfNode, isOfService, type Measurement } from '../measurement.js';

interface Worker {
  agentId: string;
  name: string;
  tools: readonly string[];
}

/** The known facts about one node. */
interface NodeResults {
  /** All results about it, by tool and subject, then in the order of the log. */
  tried: readonly Measurement[];
  /** The results that contain an answer and still count. */
  answered: readonly Measurement[];
  workers: readonly Worker[];
  /** The last report of each of its dispatched workers. */
  sent: readonly AgentReport[];
  isUnreliable: boolean;
  /** Why telemetry of it is missing in the ranking. */
  unread: Reason | undefined;
  /** The run was cancelled or failed: calls may have been open. */
  isCut: boolean;
}

type Reason = Omit<Unchecked, 'node'>;

/**
 * The nodes that were not measured, or not completely, and why not. A node without an issue is
 * checked if each tool that its workers called for it has returned a measurement, including tools
 * that only read records: data that may not or cannot be read is neither healthy nor absent.
 * Nothing is known about a node whose worker was interrupted or not dispatched. An accepted
 * connection does not check a node whose other tools could not measure it, and earlier records
 * check no node. Telemetry that the latest ranking could not read, and parts of results that are
 * hidden from the credential or were not read, keep a node from being checked. Contract section 6.
 * @param all of the run, its rankings included
 * @param current `isCut`: the run was cancelled or failed, and calls may have been open
 */
export function uncheckedNodes(
  topology: Pick<Topology, 'nodes' | 'teams' | 'scope' | 'sources'>,
  all: readonly Measurement[],
  { measurements, unreliable, isCut = false }: Current & { isCut?: boolean },
  reports: readonly AgentReport[],
): Unchecked[] {
  const { nodes, teams, scope } = topology;
  const unread = unreadTelemetry(topology, all);
  const last = lastReports(reports);
  const workersOf = groupBy(
    teams.flatMap(({ workers }) => workers),
    ({ node }) => node,
  );
  const triedOf = groupBy(
    all.filter(({ measures }) => measures !== 'system'),
    ({ node }) => node,
  );
  const answeredOf = groupBy(measurements, ({ node }) => node);
  return nodes.flatMap(({ id, kind }) => {
    const workers = workersOf.get(id) ?? [];
    const reason = reasonOf(kind, {
      workers,
      tried: (triedOf.get(id) ?? []).toSorted(bySubject),
      answered: answeredOf.get(id) ?? [],
      sent: workers.flatMap(({ agentId }) => last.get(agentId) ?? []),
      isUnreliable: unreliable.has(id),
      unread: unread.get(id),
      isCut,
    });
    if (reason === undefined) return [];
    return [{ node: id, ...(scope && !scope.includes(id) ? NOT_ASKED : reason) }];
  });
}

const NOT_ASKED: Reason = {
  reason: 'NOT_ASKED',
  detail: 'The run was asked to look at other nodes.',
};

/** Why a node counts as not checked; undefined if it is checked. */
function reasonOf(kind: string, looks: NodeResults): Reason | undefined {
  const { tried, workers } = looks;
  const own = looks.answered.filter(({ measures }) => measures !== 'system');
  // An issue was measured: the incomplete measurement hides nothing.
  if (own.some(({ issues }) => issues.some(isFailure))) return undefined;
  const measured = own.filter(isOfNode);
  const answered = new Set(looks.answered.map(({ tool }) => tool));
  // Attempts of workers of other nodes on it are not needed to check it.
  const needed = new Set(workers.flatMap(({ tools }) => tools));
  const isNeeded = (tool: string) => needed.size === 0 || needed.has(tool);
  const missing = tried.filter(({ tool }) => isNeeded(tool) && !answered.has(tool));
  if (measured.length === 0 || (missing.some(isOfNode) && !measured.some(isOfService)))
    return withoutMeasurement(kind, looks);
  const failures = missing.filter(({ code }) => code !== 'NOT_RECORDED');
  const failed = failures.at(-1);
  if (failed) return failuresOf(failed, failures);
  const short = looks.answered.findLast(
    ({ tool, hidden }) => isNeeded(tool) && hidden !== undefined,
  );
  if (short?.hidden !== undefined) return because('FORBIDDEN', short.hidden, [short]);
  const cut = looks.answered.findLast(
    ({ tool, notRead }) => isNeeded(tool) && notRead !== undefined,
  );
  if (cut?.notRead !== undefined) return because('NOT_READ', cut.notRead, [cut]);
  return cutOff(looks) ?? looks.unread;
}

/** Why a node has no measurement of its service. */
function withoutMeasurement(kind: string, looks: NodeResults): Reason {
  const { tried, workers, sent, isUnreliable } = looks;
  if (isUnreliable) return because('UNRELIABLE', SHORT_OF_TIME, tried);
  // A source without data about the node is less relevant than one that could not be read.
  const failures = tried.filter(({ code }) => code !== 'NOT_RECORDED');
  const failed =
    failures.findLast(({ code }) => code !== undefined) ??
    failures.findLast(({ status }) => status === 'denied') ??
    failures.findLast(({ status }) => status === 'unavailable');
  if (failed) return failuresOf(failed, failures);
  const short = looks.answered.findLast(({ hidden }) => hidden !== undefined);
  if (short?.hidden !== undefined) return because('FORBIDDEN', short.hidden, [short]);
  const unrecorded = tried.findLast(({ code }) => code !== undefined);
  if (unrecorded) return failuresOf(unrecorded, failures);
  if (workers.every(({ tools }) => tools.length === 0))
    return because(
      'NO_TOOL',
      (NODE_KINDS as readonly string[]).includes(kind)
        ? `No tool can measure it as it is written: kind ${kind} needs an endpoint that fits it, or a source.`
        : `No tool measures nodes of kind ${kind}.`,
    );
  const broken = sent.find(({ status }) => status === 'failed');
  if (broken) return because('AGENT_FAILED', broken.summary.trim() || 'Its worker failed.');
  if (sent.length === 0) return because('NOT_MEASURED', 'No worker was sent to it.');
  if (sent.some(({ status }) => status === null))
    return because('NOT_MEASURED', 'The run ended before its worker reported.');
  return because(
    'NOT_MEASURED',
    tried.some(isMeasured) ? ONLY_RECORDED : 'Its worker measured nothing.',
    tried,
  );
}

/** Nothing was measured at a node itself. */
export const ONLY_RECORDED = 'Only records about it were read, and they show no failure.';

const SHORT_OF_TIME = 'The prober was short of processor time when it measured the node.';

/** Maximum failures that one node names. */
const MOST_FAILURES = 5;

/** The reason of one failure, with the details of the others: each may have to be fixed. */
function failuresOf(lead: Measurement, failures: readonly Measurement[]): Reason {
  const reason = failureOf(lead);
  const others = failures.filter(({ summary }) => summary !== lead.summary);
  const each = new Map(others.map((failed) => [failed.summary, failed]));
  const named = [...each.values()].slice(0, MOST_FAILURES - 1);
  const details = named.map((failed) => failureOf(failed).detail ?? '');
  return because(reason.reason, [reason.detail ?? '', ...details].filter(Boolean).join('; '), [
    ...named,
    lead,
  ]);
}

function failureOf(failed: Measurement): Reason {
  const { code, status, summary, tool } = failed;
  // It did its work, but its measurement proves nothing.
  if (isMeasured(failed)) return because('UNRELIABLE', SHORT_OF_TIME, [failed]);
  if (code !== undefined) return because(code, summary, [failed]);
  return status === 'denied'
    ? because('FORBIDDEN', summary || `${tool} was not allowed to run.`, [failed])
    : because('SOURCE_UNAVAILABLE', `${tool} could not measure: ${summary}`, [failed]);
}

/**
 * Why a node without an issue was not measured completely; undefined if it was. A worker that has
 * finished has made its first look; for one that was interrupted or not dispatched, other agents
 * may have called its tools. The service has taken the first look in place of a worker that was not
 * dispatched if the run continued until all its calls had ended.
 */
function cutOff({ workers, sent, tried, isCut }: NodeResults): Reason | undefined {
  const used = new Set(tried.map(({ tool }) => tool));
  const byService = tried.some((each) => each.byService);
  for (const { agentId, tools } of workers) {
    const report = sent.find((each) => each.agentId === agentId);
    if (report ? hasFinished(report) : byService && !isCut) continue;
    const unused = tools.filter((tool) => !used.has(tool)).join(' and ');
    if (unused === '') continue;
    if (!report && byService)
      return because('NOT_MEASURED', `The run ended before ${unused} had answered.`);
    if (!report) return because('NOT_MEASURED', `No worker was sent to it to call ${unused}.`);
    const { status, reasons } = report;
    const why = status === null ? 'The run ended' : `Its worker ended (${reasons.join(', ')})`;
    return because('NOT_MEASURED', `${why} before ${unused} had answered.`);
  }
  return undefined;
}

/** Maximum results that one node names. */
const MOST_EVIDENCE = 10;

/** @param results that show it */
const because = (
  reason: UncheckedReason | (string & {}),
  detail: string,
  results: readonly Measurement[] = [],
): Reason => {
  const evidence = results
    .slice(-MOST_EVIDENCE)
    .map(({ sequence }) => sequence)
    .toSorted((a, b) => a - b);
  return { reason, detail, ...(evidence.length > 0 && { evidence }) };
};
