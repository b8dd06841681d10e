import type { Topology } from '../topology/topology.js';
import { lastReports, type AgentReport } from './agent-report.js';
import type { Unchecked, UncheckedReason } from './finding.js';
import { isOfNode, isOfService, type Current, type Measurement } from './measurement.js';

/**
 * The nodes that no tool has measured, and why not. A connection that was accepted does not check a node whose other tools
 * could not measure it, or not reliably. Contract section 6.
 */
export function uncheckedNodes(
  { nodes, teams }: Pick<Topology, 'nodes' | 'teams'>,
  all: readonly Measurement[],
  { measurements, unreliable }: Current,
  reports: readonly AgentReport[],
): Unchecked[] {
  const last = lastReports(reports);
  const workersOf = new Map<string, { agentId: string; tools: string[] }[]>();
  for (const worker of teams.flatMap((team) => team.workers))
    workersOf.set(worker.node, [...(workersOf.get(worker.node) ?? []), worker]);
  const triedOf = new Map<string, Measurement[]>();
  for (const each of all.filter(isOfNode))
    triedOf.set(each.node, [...(triedOf.get(each.node) ?? []), each]);

  const measuredOf = new Map<string, Measurement[]>();
  for (const each of measurements.filter(isOfNode))
    measuredOf.set(each.node, [...(measuredOf.get(each.node) ?? []), each]);

  return nodes.flatMap(({ id, kind }) => {
    const measured = measuredOf.get(id) ?? [];
    const tools = new Set(measured.map(({ tool }) => tool));
    const missing = (triedOf.get(id) ?? []).some((each) => !tools.has(each.tool));
    const counts = measured.some((each) => isOfService(each, kind) || each.issues.length > 0);
    if (counts || (measured.length > 0 && !missing)) return [];
    const say = (reason: UncheckedReason | (string & {}), detail: string) => [
      { node: id, reason, detail },
    ];
    const tried = triedOf.get(id) ?? [];
    if (unreliable.has(id))
      return say('UNRELIABLE', 'The prober was short of processor time when it measured the node.');
    const coded = tried.findLast(({ code }) => code !== undefined);
    if (coded) return say(coded.code as string, coded.summary);
    const denied = tried.findLast(({ status }) => status === 'denied');
    if (denied) return say('FORBIDDEN', denied.summary || `${denied.tool} was not allowed to run.`);
    const failed = tried.findLast(({ status }) => status === 'unavailable');
    if (failed)
      return say('SOURCE_UNAVAILABLE', `${failed.tool} could not measure: ${failed.summary}`);
    const workers = workersOf.get(id) ?? [];
    if (workers.every(({ tools }) => tools.length === 0))
      return say('NO_TOOL', `No tool measures it: it is of kind ${kind}.`);
    const sent = workers.flatMap(({ agentId }) => last.get(agentId) ?? []);
    const broken = sent.find(({ status }) => status === 'failed');
    if (broken) return say('AGENT_FAILED', broken.summary || 'Its worker failed.');
    if (sent.length === 0) return say('NOT_MEASURED', 'No worker was sent to it.');
    // Only a run that was cut has an open dispatch.
    const open = sent.some(({ status }) => status === null);
    return say(
      'NOT_MEASURED',
      open ? 'The run ended before its worker reported.' : 'Its worker measured nothing.',
    );
  });
}
