import { clip } from '../../lib/text.js';
import { endpointAddress } from '../topology/endpoint-address.js';
import { providesOf } from '../topology/recorded.js';
import type { Topology, TopologyNode } from '../topology/topology.js';
import { inOrder, type AgentReport } from './agent-report.js';
import type { Finding, NextStep, RootCause, Unchecked } from './finding.js';
import type { NextStepCatalogue } from '../prompt/prompts.js';

/** Nodes for which steps are given, steps of agents, and code points of one. */
const [MOST_NODES, MOST_PROPOSED, MOST_TEXT] = [5, 5, 300];
/** Dependencies that failing answers name. */
const MOST_BLAMED = 2;

/** Commands of one kind that fit only one kind of node: elsewhere the text stands without them. */
const FOR_KIND: readonly [RegExp, RegExp][] = [
  [/redis-cli/, /redis|valkey/],
  [/psql/, /postgres|(?<!my)sql/],
  [/kafka/, /kafka/],
];

/** A node, and what it runs on as far as its topology says so. */
type Placed = Pick<TopologyNode, 'id' | 'name' | 'kind' | 'endpoint'> & { isInKubernetes: boolean };

/** The steps of the catalogue for a failure of a node. */
function stepsFor(
  { kind = 'unknown', evidence }: Pick<Finding, 'kind' | 'evidence'>,
  node: Placed,
  catalogue: NextStepCatalogue,
): NextStep[] {
  return (catalogue[kind] ?? []).map(({ look, change, command = [] }) => {
    const fitting = [command].flat().find((each) => fits(each, node));
    return {
      text: (look ?? change ?? '').replaceAll('{node}', () => node.name),
      node: node.id,
      access: look === undefined ? 'change' : 'read',
      evidence,
      ...(fitting !== undefined && { command: withAddress(fitting, node) }),
      origin: 'catalogue',
    };
  });
}

/** A command that names one program is for nodes of that kind, or that run on that platform. */
function fits(command: string, { kind, isInKubernetes }: Placed): boolean {
  if (/\bkubectl\b/.test(command) && !isInKubernetes) return false;
  if (/\b(?:journalctl|systemctl)\b/.test(command) && isInKubernetes) return false;
  return FOR_KIND.every(([program, kinds]) => !program.test(command) || kinds.test(kind));
}

function withAddress(command: string, { endpoint }: Pick<TopologyNode, 'endpoint'>): string {
  const { host = '<host>', port = '<port>' } = endpointAddress(endpoint) ?? {};
  return command.replaceAll('<host>', host).replaceAll('<port>', port);
}

/** Steps as a model may read them: commands without the addresses of nodes. */
export const withoutAddresses = (
  steps: readonly NextStep[],
  nodes: readonly TopologyNode[],
): NextStep[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return steps.map((step) => {
    const { command, node = '' } = step;
    const address = endpointAddress(byId.get(node)?.endpoint);
    if (command === undefined || address === undefined) return step;
    const { host, port = '' } = address;
    const hidden = command
      .replaceAll(`${host}:${port}`, '<host>:<port>')
      .replaceAll(host, '<host>');
    return { ...step, command: hidden };
  });
};

/** Says how many failures have no steps, since a list ends. */
function leftOff(names: readonly string[], what: string): NextStep[] {
  if (names.length === 0) return [];
  const text = clip(`${names.length} more ${what}: ${names.join(', ')}.`, MOST_TEXT);
  return [{ text, access: 'read', origin: 'catalogue' }];
}

/**
 * Where a root cause names a dependency that no measurement decides about, people look there first: a port that accepts is no healthy
 * database. The text of a probed system convicts no node, but it says where a look costs little and may end the search.
 */
function blamedSteps(
  { rootCauses, findings }: { rootCauses: readonly RootCause[]; findings: readonly Finding[] },
  byId: ReadonlyMap<string, Placed>,
  catalogue: NextStepCatalogue,
): NextStep[] {
  const causes = new Set(rootCauses.map(({ node }) => node));
  return findings
    .filter(({ via }) => via !== undefined && causes.has(via))
    .slice(0, MOST_BLAMED)
    .flatMap((finding): NextStep[] => {
      const { node, title, evidence } = finding;
      const blamed = byId.get(node);
      if (blamed === undefined) return [];
      const text = clip(`Look at ${blamed.name} first: ${title}.`, MOST_TEXT);
      const looks = stepsFor(finding, blamed, catalogue).filter(({ access }) => access === 'read');
      return [{ text, node, access: 'read', evidence, origin: 'catalogue' }, ...looks];
    });
}

/** What to do next: measure again what was changed, then about the root causes, else about the other findings, else about what was not checked; then proposals of agents. */
export function nextSteps(
  { nodes, sources }: Pick<Topology, 'nodes' | 'sources'>,
  known: {
    rootCauses: readonly RootCause[];
    findings: readonly Finding[];
    unchecked: readonly Unchecked[];
    /** Nodes that were changed after they were measured. */
    changed?: readonly string[];
  },
  reports: readonly AgentReport[],
  catalogue: NextStepCatalogue,
): NextStep[] {
  const byId = new Map(
    nodes.map((node): [string, Placed] => {
      const isInKubernetes =
        /pod|deployment|kube/.test(node.kind) || providesOf(node, sources, 'kubernetes');
      return [node.id, { ...node, isInKubernetes }];
    }),
  );
  const nameOf = ({ node }: { node: string }) => byId.get(node)?.name ?? node;
  const changed = new Set(known.changed);
  const again = [...changed].map((node): NextStep => ({
    text: `Diagnose again: ${byId.get(node)?.name ?? node} was changed after it was measured.`,
    ...{ node, access: 'read', origin: 'catalogue' },
  }));
  const failures: Pick<Finding, 'node' | 'kind' | 'evidence'>[] =
    known.rootCauses.length > 0
      ? [...known.rootCauses]
      : known.findings.filter(({ severity }) => severity !== 'info');
  const chosen = new Map(
    failures.map((failure) => [`${failure.node} ${failure.kind ?? 'unknown'}`, failure]),
  );
  const all = [...chosen.values()];
  const steps = all.slice(0, MOST_NODES).flatMap((failure) => {
    const found = byId.get(failure.node);
    const own = found ? stepsFor(failure, found, catalogue) : [];
    return changed.has(failure.node) ? own.filter(({ access }) => access === 'read') : own;
  });
  const unknown = known.unchecked
    .slice(0, MOST_NODES)
    .map(({ node, reason, detail = '', evidence }): NextStep => ({
      text: clip(
        // Only the detail says which right is missing.
        `${lookAt(reason)} ${byId.get(node)?.name ?? node}. ${reason === 'FORBIDDEN' ? detail : ''}`.trim(),
        MOST_TEXT,
      ),
      ...{ node, access: 'read', origin: 'catalogue' },
      ...(evidence && { evidence }),
    }));
  const concerned = new Set([...known.findings, ...known.unchecked].map(({ node }) => node));
  return [
    ...again,
    ...blamedSteps(known, byId, catalogue),
    ...steps,
    ...leftOff(all.slice(MOST_NODES).map(nameOf), 'failures have no steps here'),
    ...unknown,
    ...leftOff(known.unchecked.slice(MOST_NODES).map(nameOf), 'nodes were not checked'),
    ...proposals(reports, concerned),
  ];
}

/** What to do about a node that was not checked, up to its name. */
function lookAt(reason: string): string {
  switch (reason) {
    case 'NO_TOOL':
      return 'Check by hand, or give it a kind that a tool measures:';
    case 'FORBIDDEN':
      return 'Give the diagnosis the right to read:';
    case 'EGRESS_DENIED':
      return 'Let the tools connect, or check by hand:';
    case 'SOURCE_UNAVAILABLE':
      return 'Find out why the tools could not measure:';
    case 'NOT_RECORDED':
      return 'Check by hand, or record metrics, logs or traces of it:';
    case 'UNRELIABLE':
      return 'Measure again when the prober has processor time:';
    default:
      return 'Run the diagnosis again, or check by hand:';
  }
}

/**
 * What agents propose: marked, without a command, and taken for a change, since nothing has checked it. A step for a node
 * that does not exist, or of which nothing was found, is left out.
 */
function proposals(reports: readonly AgentReport[], concerned: ReadonlySet<string>): NextStep[] {
  const proposed = inOrder(reports)
    .flatMap(({ nextSteps: steps = [] }) => steps)
    .filter(({ node }) => node === undefined || concerned.has(node));
  const texts = new Map(proposed.map((step) => [step.text.trim(), step]));
  return [...texts].slice(0, MOST_PROPOSED).flatMap(([text, { node }]) =>
    text === ''
      ? []
      : [
          {
            text: clip(text, MOST_TEXT),
            ...(node !== undefined && { node }),
            access: 'change' as const,
            origin: 'agent' as const,
          },
        ],
  );
}
