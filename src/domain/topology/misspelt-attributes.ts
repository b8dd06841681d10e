import { nearest } from '../../lib/text.js';

/**
 * Node attributes that the service reads (docs/topologies.md). Others are allowed and passed to the
 * agents.
 */
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
 * Attributes of a topology that look like misspelt known ones. An unknown attribute is not a fault,
 * but a misspelt threshold has no effect, which the author should know.
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
