import { authorityOf } from './endpoint-address.js';
import type { TopologyNode } from './topology.js';

/**
 * Makes a function that replaces the addresses of nodes in a text by `<endpoint of ID>`: no endpoint goes to a model. The time is
 * linear in the length of the text.
 */
export function endpointMask(nodes: readonly TopologyNode[]): (text: string) => string {
  const idOf = new Map<string, string>();
  for (const { id, endpoint } of nodes)
    for (const address of addressesOf(endpoint)) if (!idOf.has(address)) idOf.set(address, id);
  if (idOf.size === 0) return (text) => text;
  const any = [...idOf.keys()].toSorted((a, b) => b.length - a.length).map(escape);
  const pattern = new RegExp(`(?<![\\w.-])(?:${any.join('|')})(?![\\w-])`, 'gi');
  return (text) =>
    text.replace(pattern, (address) => `<endpoint of ${idOf.get(address.toLowerCase()) ?? ''}>`);
}

/** `host:port` of an endpoint; a host alone only if it is a name of several parts, which no other text holds by chance. */
function addressesOf(endpoint: string | undefined): string[] {
  if (endpoint === undefined || endpoint === '') return [];
  const host = authorityOf(endpoint);
  const [name = ''] = host.split(':');
  return [
    ...(host.includes(':') ? [host] : []),
    ...(/[a-z]/i.test(name) && name.includes('.') ? [name] : []),
  ];
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
