import type { Json, JsonObject } from '../../lib/json.js';
import { redactUrls } from '../../lib/redact-urls.js';
import { clip, isAbbreviation, nearest } from '../../lib/text.js';

/**
 * Node attributes that the service reads (docs/topologies.md). Others are allowed and have no
 * effect.
 */
const KNOWN = [
  'alerts',
  'ca',
  'certificateDays',
  'cluster',
  'connectionsPercent',
  'diskPercent',
  'expectAddress',
  'expectBody',
  'expectStatus',
  'group',
  'groupLag',
  'intervalMs',
  'kubernetes',
  'loadPerCore',
  'memoryPercent',
  'metrics',
  'metricsPath',
  'nginxConnections',
  'nginxStatusPath',
  'path',
  'paths',
  'pid',
  'process',
  'queueMessages',
  'recordType',
  'recorded',
  'restartUrl',
  'server',
  'serverName',
  'slowMs',
  'team',
  'telemetry',
  'timeoutMs',
  'trustSelfSigned',
];
/** The minimum value, and the maximum if there is one. */
export type Bounds = readonly [least: number, most?: number];

/**
 * Numbers that tools read. A topology with another value is refused, because the tool would throw.
 */
export const ATTRIBUTE_BOUNDS = {
  connectionsPercent: [1, 100],
  groupLag: [0],
  intervalMs: [100, 10_000],
  loadPerCore: [0.01],
  nginxConnections: [0],
  queueMessages: [0],
  timeoutMs: [100, 10_000],
} as const satisfies Record<string, Bounds>;

/** What a number within the bounds is: `a number from 100 to 10000`. */
export const boundsText = ([least, most]: Bounds): string =>
  most === undefined ? `a number of at least ${least}` : `a number from ${least} to ${most}`;

/**
 * Attributes that no agent needs: they contain addresses or certificates, or list the content of a
 * bundle.
 */
const HIDDEN = ['ca', 'expectAddress', 'recorded', 'restartUrl', 'server', 'serverName'];
const MOST = 20;
/** Maximum different unknown names that are compared with the known ones. */
const MOST_COMPARED = 200;
/** Maximum code points of a text that is shown to an agent. */
const MOST_TEXT = 300;

export interface UnknownAttribute {
  /** `nodes[2].attributes.slowMS` */
  path: string;
  name: string;
  /** The known attribute that it resembles. */
  meant: string | undefined;
}

/**
 * Attributes of a topology that the service does not read. An unknown attribute is not a fault, but
 * a threshold with another name has no effect, which the author should know. Only the first 200
 * different names are compared with the known ones: each comparison takes processor time.
 * @returns at most 20 that look like known ones, and at most 20 others, each name of these once
 */
export function unknownAttributes(
  topology: unknown,
  more: readonly string[] = [],
): UnknownAttribute[] {
  const nodes = (topology as { nodes?: unknown } | null)?.nodes;
  if (!Array.isArray(nodes)) return [];
  const misspelt: UnknownAttribute[] = [];
  const others = new Map<string, UnknownAttribute>();
  const meantBy = new Map<string, string | undefined>();
  for (const [index, node] of nodes.entries()) {
    const attributes = (node as { attributes?: unknown } | null)?.attributes;
    if (typeof attributes !== 'object' || attributes === null) continue;
    for (const name of Object.keys(attributes)) {
      if (misspelt.length === MOST) return [...misspelt, ...others.values()];
      if (KNOWN.includes(name) || more.includes(name)) continue;
      if (!meantBy.has(name) && meantBy.size < MOST_COMPARED)
        meantBy.set(name, nearest(name, KNOWN) ?? shortened(name));
      const found = { path: `nodes[${index}].attributes.${name}`, name, meant: meantBy.get(name) };
      if (found.meant !== undefined) misspelt.push(found);
      else if (others.size < MOST && !others.has(name)) others.set(name, found);
    }
  }
  return [...misspelt, ...others.values()];
}

/** The only known attribute for which a name is an abbreviation, such as `certDays`. */
function shortened(name: string): string | undefined {
  const [meant, ...more] = KNOWN.filter((known) => isAbbreviation(name, known));
  return more.length === 0 ? meant : undefined;
}

/**
 * The attributes of a node that its agent is shown: those that the service documents, without
 * addresses, certificates and secrets.
 */
export const shownAttributes = (attributes: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => KNOWN.includes(name) && !HIDDEN.includes(name))
      .map(([name, value]) => [name, shown(value)]),
  );

function shown(value: Json): Json {
  if (typeof value === 'string') return clip(redactUrls(value), MOST_TEXT);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shown(each)]));
}
