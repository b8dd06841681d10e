import type { TopologyDraft, DraftNode } from './draft.js';

/** A source that nodes of the draft select from. */
export interface DraftSource {
  id: string;
  kind: 'kubernetes' | 'prometheus';
}

/**
 * A draft as YAML, with a comment about the origin of each node and each edge.
 * @param options.name of the topology
 * @param options.notes what a person must know about the whole draft
 */
export function writeDraft(
  { nodes, leftOut, unknown, unread }: TopologyDraft,
  {
    name,
    sources,
    notes = [],
  }: { name: string; sources: readonly DraftSource[]; notes?: readonly string[] },
): string {
  const used = sources.filter(({ id }) => nodes.some((node) => node.in?.[id] !== undefined));
  return [
    '# A draft: read it, correct it, then load it. Each comment says where a line is from.',
    '# Choose an id that no other topology has: a stored topology with the same id would get a new version.',
    ...notes.map((note) => `# ${oneLine(note)}`),
    ...unread.map((sentence) => `# Not read: ${oneLine(sentence)}`),
    ...leftOut.map(
      ({ node, on, from }) =>
        `# Left out, since it closes a cycle: ${oneLine(`${node} -> ${on} (${from})`)}`,
    ),
    ...unknown.map(
      ({ node, on, from }) =>
        `# Left out, since no node of this draft has that address, or a service of that name selects no pods: ${oneLine(`${node} -> ${on} (${from})`)}`,
    ),
    'id: 1',
    `name: ${quote(oneLine(name))}`,
    ...(used.length > 0 ? ['sources:'] : []),
    ...used.map(({ id, kind }) => `  - { id: ${quote(id)}, kind: ${kind} }`),
    'nodes:',
    ...nodes.flatMap(linesOf),
    '',
  ].join('\n');
}

function linesOf({ id, kind, endpoint, in: own, from, dependsOn }: DraftNode): string[] {
  return [
    `  - id: ${quote(oneLine(id))} # ${oneLine(from)}`,
    `    name: ${quote(oneLine(id))}`,
    `    kind: ${quote(kind)}`,
    ...(endpoint === undefined ? [] : [`    endpoint: ${quote(endpoint)}`]),
    ...(own === undefined ? [] : ['    in:']),
    ...Object.entries(own ?? {}).map(
      ([source, value]) => `      ${quote(source)}: ${quote(value)}`,
    ),
    ...(dependsOn.length > 0 ? ['    dependsOn:'] : []),
    ...dependsOn.map(
      (edge) => `      - ${quote(oneLine(edge.on))} # ${edge.evidence}: ${oneLine(edge.from)}`,
    ),
  ];
}

const PLAIN = /^[a-z][a-z0-9_-]*$/;
const RESERVED = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);

/** A JSON text is YAML, too. */
const quote = (text: string): string =>
  PLAIN.test(text) && !RESERVED.has(text) ? text : JSON.stringify(text);

/**
 * Names come from foreign files: a comment must not contain a line break, and a topology has names
 * on one line only.
 */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, 300);
