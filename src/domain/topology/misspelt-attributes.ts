import { nearest } from '../../lib/text.js';

/** The attributes of a node that the service reads (docs/topologies.md). Others are allowed and are passed to the agents. */
const KNOWN = [
  'ca',
  'certificateDays',
  'diskPercent',
  'expectAddress',
  'expectBody',
  'expectStatus',
  'group',
  'intervalMs',
  'kubernetes',
  'loadPerCore',
  'memoryPercent',
  'metrics',
  'metricsPath',
  'path',
  'paths',
  'pid',
  'process',
  'recordType',
  'server',
  'serverName',
  'slowMs',
  'team',
  'telemetry',
  'timeoutMs',
  'trustSelfSigned',
];
const MOST = 20;

export interface MisspeltAttribute {
  /** `nodes[2].attributes.slowMS` */
  path: string;
  name: string;
  meant: string;
}

/**
 * The attributes of a topology as written that look like a slip of a known one. An unknown attribute is no fault, but a threshold
 * with a misspelt name has no effect, which a person must know.
 * @returns at most 20
 */
export function misspeltAttributes(topology: unknown): MisspeltAttribute[] {
  const nodes = (topology as { nodes?: unknown } | null)?.nodes;
  if (!Array.isArray(nodes)) return [];
  const found: MisspeltAttribute[] = [];
  for (const [index, node] of nodes.entries()) {
    const attributes = (node as { attributes?: unknown } | null)?.attributes;
    if (typeof attributes !== 'object' || attributes === null) continue;
    for (const name of Object.keys(attributes)) {
      if (found.length === MOST) return found;
      const meant = KNOWN.includes(name) ? undefined : nearest(name, KNOWN);
      if (meant !== undefined)
        found.push({ path: `nodes[${index}].attributes.${name}`, name, meant });
    }
  }
  return found;
}
