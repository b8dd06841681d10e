import { callsIn, reachOf } from './call-graph.js';
import type { ChangeSuspect } from './changes/change-suspects.js';
import type { ExternalCause } from './outside/external-cause.js';
import { providerNode } from './outside/provider-node.js';
import type { FailingNode } from './first-failing.js';
import { holderOfRefused } from './logs/refused-certificate.js';
import { isMachine } from './noisy-neighbour.js';
import { recordedNodes, type Observations } from './observations.js';
import { expiredCertificates } from './series/expired-certificates.js';
import { plainName } from './series/meaning-of-metric.js';
import type { FaultText } from './symptoms.js';

/** The node of the cause, and why. */
interface Place {
  node: string;
  says: string;
  /** It is ranked before all others, and not only before its callers and callees. */
  isFirst?: boolean;
}

/** Not `resolver`: many things without a relation to names are called that. */
const DNS_NODE =
  /(^|[-_.])(dns|coredns|kube-?dns|dnsmasq|name-?server|ns\d{1,2}|unbound|bind9?|pdns|powerdns)([-_.]|$)/i;
const DNS_PORT = /:53$/;

/**
 * The node of the cause, if it is known: where the causing change went live; the node that reports
 * a failure of its machine; the holder of a refused certificate; the name service.
 */
export function placeOf(
  seen: Observations,
  texts: readonly FaultText[],
  causingChange: ChangeSuspect | undefined,
  outside: ExternalCause | undefined,
): Place | undefined {
  if (causingChange?.node !== undefined)
    return {
      node: causingChange.node,
      says: 'the change that explains the failure went live there',
      isFirst: recordedNodes(seen).has(causingChange.node),
    };
  if (outside?.kind === 'infrastructure' && outside.node !== undefined)
    return {
      node: machineOf(outside.node, seen) ?? outside.node,
      says: 'its machine fails or is overloaded',
    };
  if (outside?.kind === 'bad-data' && outside.node !== undefined)
    return { node: outside.node, says: 'it cannot read what it was given' };
  const provider =
    outside?.kind === 'provider-outage' ? providerNode(outside, seen, callsIn(seen)) : undefined;
  if (provider !== undefined)
    return { node: provider, says: 'another organisation runs it, and what it answers fails' };
  const holder = outside?.kind === 'certificate-expired' ? holderOf(outside, seen) : undefined;
  if (holder !== undefined)
    return { node: holder, says: 'its certificate is the one that is refused' };
  const dns = outside?.kind === 'dns' ? nameServer(seen, texts) : undefined;
  const lookups = new Set(
    texts.flatMap(({ text, from, node }) =>
      from !== 'metric' && node !== dns?.id && LOOKUP.test(text) ? [node] : [],
    ),
  );
  if (dns && lookups.size > 0)
    return {
      node: dns.id,
      says: `it resolves names, and lookups of ${lookups.size === 1 ? 'a node' : `${lookups.size} nodes`} fail`,
    };
  return undefined;
}

/**
 * The node whose certificate is refused: the one with an expired certificate, otherwise the one
 * that the line indicates.
 */
function holderOf({ node, says }: ExternalCause, seen: Observations): string | undefined {
  const [ended] = expiredCertificates(seen.series, seen.frame);
  if (ended) return ended.node;
  if (holderOfRefused(says) === 'speaker') return node;
  return seen.nodes.find(({ id }) => id !== node && says.includes(id))?.id;
}

/**
 * Metrics of a server itself: `coredns_dns_responses_total`, `dns_request_duration_p99_ms`; clients
 * count lookups.
 */
const DNS_METRIC = /^(coredns_)?dns_(server_)?(request|response|quer)/;

/**
 * The node that resolves names: by its port, otherwise the only one with metrics of a name server,
 * otherwise by its name or kind; of several, the one that reports itself that it cannot.
 */
function nameServer(
  { nodes, series }: Observations,
  texts: readonly FaultText[],
): { id: string } | undefined {
  const measured = new Set(
    series.flatMap(({ node, name }) => (DNS_METRIC.test(plainName(name)) ? [node] : [])),
  );
  const [only] = measured.size === 1 ? measured : [];
  const groups = [
    nodes.filter(({ endpoint = '' }) => DNS_PORT.test(endpoint)),
    nodes.filter(({ id }) => id === only),
    nodes.filter(({ id, kind = '' }) => DNS_NODE.test(id) || DNS_NODE.test(kind)),
  ];
  const servers = groups.find((group) => group.length > 0) ?? [];
  const fails = ({ id }: { id: string }) =>
    texts.some(({ node, from, text }) => node === id && from === 'log' && LOOKUP.test(text));
  return servers.find(fails) ?? servers[0];
}

/** The machine of a node, if the topology has it and some telemetry of it was recorded. */
function machineOf(id: string, seen: Observations): string | undefined {
  const below = seen.nodes.find((node) => node.id === id)?.dependsOn ?? [];
  const recorded = recordedNodes(seen);
  return seen.nodes.find(
    (node) => below.includes(node.id) && isMachine(node) && recorded.has(node.id),
  )?.id;
}

const LOOKUP = /lookup|resolve|no such host|SERVFAIL|NXDOMAIN|getaddrinfo|dns/i;
/**
 * The weight of an error, the alert, and being first together. Less if it shows no failure: then
 * others are affected by it.
 */
const PLACED = 4;
const PLACED_WELL = 2;
/** However much its callees and callers show, what explains them comes first. */
const LEAD = 0.1;

/** Ranks the node of the cause before its victims. */
export function placeCause(
  failing: readonly FailingNode[],
  place: Place | undefined,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): FailingNode[] {
  if (place === undefined) return [...failing];
  const known = failing.find(({ node }) => node === place.node) ?? {
    node: place.node,
    score: 0,
    kinds: [],
    evidence: [],
    for: [],
    against: [],
  };
  const others = failing.filter((each) => each !== known);
  const reached = reachOf(place.node, calls);
  const victim = others.find(
    ({ node }) => place.isFirst || reached.has(node) || reachOf(node, calls).has(place.node),
  );
  const worth = known.score > 0 ? PLACED : PLACED_WELL;
  const score = Math.max(known.score + worth, (victim?.score ?? 0) + LEAD);
  return [{ ...known, score, for: [place.says, ...known.for] }, ...others].toSorted(
    (a, b) => b.score - a.score,
  );
}
