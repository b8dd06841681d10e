import ipaddr from 'ipaddr.js';
import { atMost } from '../../lib/async.js';
import type { EgressPolicy } from '../egress/egress-policy.js';
import type { HostPort } from '../net/endpoint.js';
import { hostName } from './host-name.js';

/** Maximum ms for a resolver to answer; the connection itself waits longer for it. */
const RESOLVE_MS = 2_000;

/**
 * The address by which the connections to a target are counted, so that all names of a host count
 * together: of several addresses the first in alphabetical order. A name that cannot be resolved,
 * or that tools may not connect to, counts separately.
 */
export async function countedAddress(
  target: HostPort,
  egress: Pick<EgressPolicy, 'denialOf' | 'resolve'>,
): Promise<string> {
  const name = hostName(target.host);
  if (ipaddr.isValid(name) || egress.denialOf(target) !== undefined) return name;
  const found = await atMost(
    RESOLVE_MS,
    egress.resolve(target).catch(() => []),
    [],
  );
  const [first = name] = found.map(({ address }) => hostName(address)).sort();
  return first;
}
