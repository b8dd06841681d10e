import { z } from 'zod';
import type { Fault } from '../errors.js';
import type { ToolFacts } from '../diagnosis/tool-result.js';
import type { Steps } from '../../lib/steps.js';
import { inDocumentOrder } from '../../lib/paths.js';
import { nearest, quote } from '../../lib/text.js';
import { unknownAttributes, type UnknownAttribute } from './node-attributes.js';
import { TOPOLOGY_BOUNDS } from './schema/forms.js';
import { headSchema } from './schema/topology-schema.js';
import { sketchPlace, sketchTopology } from './topology-sketch.js';
import type { Topology, TopologyNode } from './topology.js';

/**
 * The kinds of nodes that live tools measure (docs/topologies.md). Other kinds are allowed and are
 * descriptive only.
 */
export const NODE_KINDS = [
  'service',
  'tcp',
  'redis',
  'postgres',
  'mysql',
  'rabbitmq',
  'kafka',
  'elasticsearch',
  'dns',
  'tls',
  'prometheus',
  'host',
  'process',
] as const;

const MOST = 20;
const LISTED = `kinds with tools: ${NODE_KINDS.join(', ')}`;

/**
 * Probable mistakes in a valid topology: unknown attributes and misspelt kinds of its nodes.
 * @param topology as written; anything is accepted
 * @param known attributes beside those of docs/topologies.md
 * @returns at most 20 of each sort, in the order of the document
 */
export function likelySlips(topology: unknown, known: readonly string[] = []): Fault[] {
  const attributes = unknownAttributes(topology, known).map(attributeSlip);
  return inDocumentOrder(topology, [...misspeltKinds(topology), ...attributes]);
}

/** Possible reasons why no tool can measure a node: misspelt kinds, then misspelt attributes. */
export const misspellings = (topology: unknown): Fault[] => [
  ...misspeltKinds(topology),
  ...unknownAttributes(topology)
    .filter(({ meant }) => meant !== undefined)
    .map(attributeSlip),
];

const attributeSlip = ({ path, name, meant }: UnknownAttribute): Fault => ({
  path,
  message: `unknown attribute ${quote(name)} has no effect${meant === undefined ? '' : `; did you mean ${quote(meant)}?`}`,
});

/** The probable mistakes of a topology, and the nodes that no tool can measure; node by node. */
export function* topologyWarnings(topology: Topology, tools: readonly ToolFacts[]): Steps<Fault[]> {
  const slips = likelySlips(topology, attributesOf(tools));
  const unmeasured: Fault[] = [];
  for (const [index, node] of topology.nodes.entries()) {
    yield;
    const path = `nodes[${index}].kind`;
    const usable = tools.filter((tool) => tool.appliesTo(node, topology.sources));
    if (isFarHost(node, usable)) {
      unmeasured.push({ path: `nodes[${index}].endpoint`, message: farHostText(node) });
      if (unmeasured.length === MOST) break;
      continue;
    }
    const isReady = usable.some((tool) => (tool.lacks?.(node) ?? []).length === 0);
    if (isReady || slips.some((slip) => slip.path === path)) continue;
    const [first] = usable;
    const message = first ? lackingText(node, first) : unmeasuredText(node);
    unmeasured.push({ path, message });
    if (unmeasured.length === MOST) break;
  }
  return inDocumentOrder(topology, [...slips, ...unmeasured]);
}

/**
 * The probable mistakes of a document that may have faults, and its nodes of a kind that no tool
 * knows.
 * @param document as written; anything is accepted
 */
export function documentWarnings(document: unknown, tools: readonly ToolFacts[]): Fault[] {
  const slips = likelySlips(document, attributesOf(tools));
  const { sources: given } = (document ?? {}) as { sources?: unknown };
  const { data: sources, success } = headSchema.shape.sources.safeParse(given ?? []);
  // A source that cannot be read may have telemetry of a node of any kind.
  if (!success) return slips;
  const { nodes } = sketchTopology(document, TOPOLOGY_BOUNDS.nodes);
  const unknown = nodes.flatMap(({ raw, id = '' }, index): Fault[] => {
    const { kind, endpoint, in: selectors } = sketchPlace(raw) ?? {};
    const path = `nodes[${index}].kind`;
    if (kind === undefined || isKnownKind(kind) || slips.some((slip) => slip.path === path))
      return [];
    const selected = z.record(z.string(), z.string()).safeParse(selectors).data;
    const node = {
      id,
      name: id,
      kind,
      dependsOn: [],
      attributes: {},
      ...(endpoint !== undefined && { endpoint }),
      ...(selected && { in: selected }),
    };
    return tools.some((tool) => tool.appliesTo(node, sources))
      ? []
      : [{ path, message: unmeasuredText(node) }];
  });
  return inDocumentOrder(document, [...slips, ...unknown.slice(0, MOST)]);
}

const attributesOf = (tools: readonly ToolFacts[]): string[] =>
  tools.flatMap(({ attributes = [] }) => attributes);

const lackingText = (node: TopologyNode, tool: ToolFacts): string =>
  `node ${quote(node.id)} is measured by ${tool.name} alone, which needs the attribute ${(tool.lacks?.(node) ?? []).map(quote).join(', ')}`;

/** Whether a node is a machine without further measurements: at most its name is resolved. */
const isFarHost = ({ kind, endpoint, in: selectors }: TopologyNode, usable: readonly ToolFacts[]) =>
  kind === 'host' &&
  endpoint !== undefined &&
  selectors === undefined &&
  usable.every(({ name }) => name !== 'host_resources');

const farHostText = ({ id }: TopologyNode): string =>
  `the machine of node ${quote(id)} is not measured: kind "host" is the machine that the worker runs on, and needs no endpoint; for another one, select its metrics of a source in \`in\` (docs/sources.md)`;

const isKnownKind = (kind: string): boolean => (NODE_KINDS as readonly string[]).includes(kind);

function unmeasuredText({ id, kind }: Pick<TopologyNode, 'id' | 'kind'>): string {
  const node = `no tool can measure node ${quote(id)} of kind ${quote(kind)}`;
  return isKnownKind(kind)
    ? `${node} as it is written: it needs an endpoint that fits its kind, or a source in \`in\` (docs/sources.md)`
    : `${node}; ${LISTED}`;
}

/** Only near misses: another name may be meant as a kind of its own. */
function misspeltKinds(topology: unknown): Fault[] {
  const nodes = (topology as { nodes?: unknown } | null | undefined)?.nodes;
  if (!Array.isArray(nodes)) return [];
  const found: Fault[] = [];
  for (const [index, node] of nodes.entries()) {
    const kind = (node as { kind?: unknown } | null)?.kind;
    if (typeof kind !== 'string' || isKnownKind(kind)) continue;
    const meant = nearest(kind, NODE_KINDS, Math.min(2, Math.floor(kind.length / 3)));
    if (meant !== undefined)
      found.push({
        path: `nodes[${index}].kind`,
        message: `unknown kind ${quote(kind)}; did you mean ${quote(meant)}? ${LISTED}`,
      });
    if (found.length === MOST) break;
  }
  return found;
}
