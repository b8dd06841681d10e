import { isNode, isMap, isScalar, isSeq, LineCounter, parseDocument, stringify } from 'yaml';
import { fieldsOf, listOf, textOf, textsOf } from '../../model/read.js';
import type { Fault, Topology } from '../../api/types.js';
import type { GraphNode } from '../../run/graph/graph-node.js';

/** A fault with the place where it stands in the text; lines and columns from 1. */
export interface PlacedFault extends Fault {
  line: number;
}

export interface ParsedText {
  /** Undefined: it is not YAML, or not a mapping. */
  value: unknown;
  syntax: PlacedFault[];
}

const NO_MAPPING: PlacedFault = {
  path: 'YAML',
  message: 'A topology begins with `id:`, `name:` and `nodes:`',
  line: 1,
};

export function parseText(text: string): ParsedText {
  const document = parseDocument(text, { lineCounter: new LineCounter() });
  if (document.errors.length === 0 && isMap(document.contents))
    return { value: document.toJS() as unknown, syntax: [] };
  if (document.errors.length === 0) return { value: undefined, syntax: [NO_MAPPING] };
  const syntax = document.errors.map(({ message, linePos }) => ({
    path: 'YAML',
    message: (message.split('\n')[0] ?? '').replace(/ at line.*$/, ''),
    line: linePos?.[0].line ?? 1,
  }));
  return { value: undefined, syntax };
}

const keysOf = (path: string): (string | number)[] =>
  path
    .split(/[.[\]]/)
    .filter((key) => key !== '')
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));

/** Puts every fault in its line: that of the longest beginning of its path that is there. */
export function placeFaults(text: string, faults: readonly Fault[]): PlacedFault[] {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const placed = faults.map((fault) => {
    const keys = keysOf(fault.path);
    for (let length = keys.length; length >= 0; length--) {
      const node: unknown =
        length === 0 ? document.contents : document.getIn(keys.slice(0, length), true);
      if (isNode(node) && node.range)
        return { ...fault, line: lineCounter.linePos(node.range[0]).line };
    }
    return { ...fault, line: 1 };
  });
  return placed.toSorted((a, b) => a.line - b.line);
}

const DERIVED = ' Derived from the nodes; edit it to define the agents yourself';

/**
 * The stored topology as text: a node, an agent and the limits in a line each, and marks at what
 * was derived.
 */
export function textOfTopology({
  version: _version,
  createdAt: _createdAt,
  updatedAt: _updatedAt,
  derived = [],
  ...topology
}: Topology): string {
  const nodes = topology.nodes.map(({ dependsOn = [], attributes = {}, ...node }) => ({
    ...node,
    ...(dependsOn.length > 0 && { dependsOn }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  }));
  const document = parseDocument(stringify({ ...topology, nodes }, { lineWidth: 0 }));
  const inLine = (...path: (string | number)[]): void => {
    const node = document.getIn(path, true);
    if (isMap(node) || isSeq(node)) node.flow = true;
  };
  nodes.forEach((_, i) => inLine('nodes', i));
  listOf(topology.teams).forEach((team, i) => {
    inLine('teams', i, 'nodes');
    inLine('teams', i, 'supervisor');
    listOf(fieldsOf(team)['workers']).forEach((_, k) => inLine('teams', i, 'workers', k));
  });
  inLine('globalSupervisor');
  inLine('limits');
  if (isMap(document.contents))
    for (const { key } of document.contents.items)
      if (isScalar(key) && derived.includes(String(key.value))) key.commentBefore = DERIVED;
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** The nodes that a text mentions and that can be drawn. */
export function nodesIn(value: unknown): GraphNode[] {
  const teams = new Map<string, string>();
  for (const team of listOf(fieldsOf(value)['teams'])) {
    const { name, nodes } = fieldsOf(team);
    for (const id of textsOf(nodes)) teams.set(id, textOf(name));
  }
  return listOf(fieldsOf(value)['nodes']).flatMap((item): GraphNode[] => {
    const { id, name, kind, dependsOn } = fieldsOf(item);
    if (typeof id !== 'string') return [];
    return [
      {
        id,
        name: textOf(name, id),
        kind: textOf(kind),
        dependsOn: textsOf(dependsOn),
        team: teams.get(id) ?? null,
      },
    ];
  });
}

export const BLANK = `id: 7
name: Web shop
nodes:
  - { id: api, name: API, kind: service, endpoint: 'http://127.0.0.1:8080/ready', dependsOn: [cache] }
  - { id: cache, name: Cache, kind: redis, endpoint: 'redis://127.0.0.1:6379' }
`;
