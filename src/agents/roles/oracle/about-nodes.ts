import { citationOf } from '../../../domain/diagnosis/citation.js';
import { isMeasured, isOfNode } from '../../../domain/diagnosis/measurement.js';
import type { Report, ReportCitation } from '../../../domain/diagnosis/finding.js';
import type { ResultSource } from '../../../domain/events/event.js';
import { CITED, MEASURED } from '../../../domain/events/source-scores.js';
import { needsOf } from '../../../domain/topology/needs-of.js';
import { nodesIn } from '../../../domain/topology/names-in-text.js';
import type { Topology } from '../../../domain/topology/topology.js';
import type { LogReader } from '../../../event-log/log-port.js';
import { source } from './lookup-rows.js';

/** Maximum of nodes of a question whose measurements are shown, and of measurements of each. */
const MOST_NODES = 5;
const MOST_OF_NODE = 4;

/**
 * The nodes that a question names, and all nodes that may explain their state: they and their
 * dependencies.
 */
export interface NamedNodes {
  topology: Topology;
  nodes: string[];
  explaining: ReadonlySet<string>;
}

/** Returns the nodes of a topology that a text names; undefined if it names none. */
export function subjectOf(topology: Topology, text: string): NamedNodes | undefined {
  const nodes = nodesIn(text.toLowerCase(), topology).map(({ id }) => id);
  if (nodes.length === 0) return undefined;
  const needs = nodes.flatMap((id) => needsOf(topology.nodes, id));
  return { topology, nodes: nodes.slice(0, MOST_NODES), explaining: new Set([...nodes, ...needs]) };
}

/**
 * Returns the latest measurements of the nodes of a question, in the order of the log. If the log
 * is no longer kept, those that the report cites.
 */
export async function measurementsOf(
  log: LogReader,
  runId: string,
  { topology, nodes }: NamedNodes,
  report: Report | null,
): Promise<ReportCitation[]> {
  const { measurements } = await log.measured(runId, topology);
  const all: readonly ReportCitation[] =
    measurements.length > 0
      ? measurements.filter((each) => isMeasured(each) && isOfNode(each))
      : (report?.citations ?? []);
  return nodes
    .flatMap((id) => all.filter(({ node }) => node === id).slice(-MOST_OF_NODE))
    .map(citationOf)
    .toSorted((a, b) => a.sequence - b.sequence);
}

/**
 * The measurements of nodes as sources. Where something was found at a node, its evidence comes
 * before its other measurements.
 */
export function measurementSources(
  runId: string,
  measured: readonly ReportCitation[],
  report: Report | null,
): ResultSource[] {
  const found = [...(report?.root_causes ?? []), ...(report?.findings ?? [])];
  const unhealthy = new Set(found.map(({ node }) => node));
  const evidence = new Set(found.flatMap((each) => each.evidence));
  return measured.map(({ sequence, node, tool, summary }) =>
    source(
      'event',
      `runs/${runId}/events/${sequence}`,
      `${node}: ${tool}: ${summary}`,
      unhealthy.has(node) && !evidence.has(sequence) ? MEASURED : undefined,
    ),
  );
}

/**
 * Returns the evidence that a report cites.
 * @param subject limits it to the findings about its nodes and the root causes that explain them;
 *   undefined: all
 */
export function citedSources(
  runId: string,
  report: Report | null,
  subject: NamedNodes | undefined,
): ResultSource[] {
  const causes = (report?.root_causes ?? []).filter(
    ({ node }) => subject === undefined || subject.explaining.has(node),
  );
  const findings = (report?.findings ?? []).filter(
    ({ node }) => subject === undefined || subject.nodes.includes(node),
  );
  return [...causes, ...findings].flatMap(({ node, title, evidence }) =>
    evidence.map((sequence) =>
      source('event', `runs/${runId}/events/${sequence}`, `${node}: ${title}`, CITED),
    ),
  );
}

/** Each source once: a measurement that was read itself comes before the finding that cites it. */
export function firstOfEach(sources: readonly ResultSource[]): ResultSource[] {
  const paths = new Set<string>();
  return sources.filter(({ path }) => !paths.has(path) && paths.add(path));
}
