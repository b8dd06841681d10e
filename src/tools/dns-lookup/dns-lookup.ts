import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { z } from 'zod';
import type { Json } from '../../lib/json.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { EgressDeniedError } from '../egress/egress-policy.js';
import { nodeArgument } from '../arguments.js';
import { attributeError, slowMsOf, textAttribute, timeoutMsOf } from '../attributes.js';
import { withPlace } from '../net/connect.js';
import { clean, hostOf, type HostPort, hostPortOf, showHostPort } from '../net/endpoint.js';
import { resolverError } from '../net/network-error.js';
import type { ProbePolicy } from '../probe-policy.js';
import { atMost, round, slowIssue, toolResult } from '../result.js';
import type { Denial, Tool, ToolContext } from '../tool.js';
import { within } from '../net/within.js';
import { UnmeasuredError } from '../unmeasured-error.js';
import { faultOf, isOfServer, ofNameServer, ofService, SILENCE } from './dns-fault.js';

const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'SRV', 'TXT'] as const;
type RecordType = (typeof RECORD_TYPES)[number];
/**
 * Maximum records that are shown, and that are compared with the expected ones. An answer of 64 kB
 * can contain 4,000.
 */
const MOST_RECORDS = 20;
const MOST_KEPT = 5_000;
const MOST_TEXT = 1_000;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * Attributes: `server` (address of a name server, `10.0.0.2` or `[::1]:53`), `recordType`,
 * `expectAddress` (a text or a list: each must be among the answers), `slowMs`, `timeoutMs`.
 * Without `server` and `recordType` it resolves names as programs do: by the system's resolver with
 * its hosts file.
 */
export const dnsLookup: Tool<Args> = {
  name: 'dns_lookup',
  access: 'read',
  measures: (node) => (node.kind === 'dns' ? 'service' : 'transport'),
  repeatable: true,
  args,
  // Applies to any name that needs a name server: a probe cannot distinguish a slow or
  // intermittently failing look-up from a slow server. Not to `localhost`, which the hosts file
  // resolves, unless the node is about DNS itself.
  appliesTo: (node) => {
    const host = hostOf(node);
    return (
      host !== undefined &&
      isIP(host) === 0 &&
      (node.kind === 'dns' || !/(^|\.)localhost\.?$/i.test(host))
    );
  },
  denied: (node, policy) => deniedServer(node, policy) ?? deniedRecords(node, policy),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node, signal, policy } = context;
  const name = hostOf(node);
  if (name === undefined || isIP(name) !== 0)
    throw new Error(`dns_lookup needs a node whose endpoint has a host name; ${node.id} has none`);
  const timeoutMs = timeoutMsOf(node);
  const slowMs = slowMsOf(node);
  const expected = expectedOf(node);
  const server = serverOf(node);
  const recordType = recordTypeOf(node);
  const shownServer = server && showHostPort(server);
  const asked = { name, server: shownServer ?? 'system', record_type: recordType ?? 'address' };

  let started = performance.now();
  const look = async () => {
    started = performance.now();
    const found = await within(signal, timeoutMs, (own) =>
      server === undefined && recordType === undefined
        ? system(name)
        : query(name, recordType, resolverOf(shownServer, timeoutMs, own)),
    );
    return found.slice(0, MOST_KEPT).map((record) => record.slice(0, MOST_TEXT));
  };
  let records: string[];
  try {
    // The system's resolver is shared by all programs of the machine, and has a cache: it is not a
    // host of a topology.
    if (server) await policy.egress.resolve(server);
    records = await (server ? withPlace(context, server, look) : look());
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnmeasuredError) throw error;
    const { title, code } = faultOf(error, name, node.kind === 'dns');
    // The system's resolver is not part of a service: its silence shows nothing about the name.
    if (node.kind !== 'dns' && server === undefined && SILENCE.has(code))
      throw resolverError(code, error);
    const symptom = node.kind === 'dns' ? ofNameServer(code) : ofService(code);
    const detail = `Asked ${asked.server === 'system' ? "the system's resolver" : asked.server} for ${asked.record_type} records of ${name}: ${title}.`;
    return toolResult(
      title,
      { ...asked, error: code, lookup_ms: round(performance.now() - started) },
      [
        {
          severity: 'critical',
          symptom,
          kind: 'dns',
          ...(isOfServer(code, node) && { steps: 'name-server' }),
          title,
          detail,
          ...(code === 'timeout' && { duration_ms: timeoutMs }),
        },
      ],
    );
  }
  const lookupMs = round(performance.now() - started);
  if (!server) refuseHidden(records, { host: name, port: hostPortOf(node)?.port ?? 0 }, policy);
  const shown = records.slice(0, MOST_RECORDS).map((record) => clean(record, node, 200));
  const issues: Issue[] = [];
  const missing = expected.filter((address) => !records.includes(address));
  if (missing.length > 0) {
    const detail = `Got ${shown.join(', ').slice(0, 300) || 'nothing'}; expected ${expected.join(', ').slice(0, 300)}.`;
    issues.push({
      severity: 'critical',
      symptom: 'invalid',
      kind: 'dns',
      steps: 'wrong-record',
      title: `${name} does not resolve to ${missing.join(', ').slice(0, 120)}`,
      detail,
    });
  }
  issues.push(
    ...slowIssue('name resolves', lookupMs, slowMs, `Looking up ${name} took`).map((issue) => ({
      ...issue,
      steps: 'slow-name',
    })),
  );
  const summary =
    issues[0]?.title ??
    `${name} resolves to ${shown.slice(0, 3).join(', ')}${records.length > 3 ? ', …' : ''} in ${lookupMs} ms`;
  return toolResult(
    summary,
    { ...asked, records: shown, record_count: records.length, lookup_ms: lookupMs },
    issues,
    atMost('lookup_ms', lookupMs, slowMs),
  );
}

/**
 * The system's resolver may know names of the networks of the service.
 * @throws EgressDeniedError if a result must not be shown to the tenant
 */
function refuseHidden(records: readonly string[], of: HostPort, { egress }: ProbePolicy): void {
  for (const record of records) {
    const rule = isIP(record) === 0 ? undefined : egress.hides(of, record);
    if (rule !== undefined) throw new EgressDeniedError(of.host, rule);
  }
}

async function system(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** Asks one name server, or those of the system; ends with the signal. */
function resolverOf(server: string | undefined, timeoutMs: number, signal: AbortSignal): Resolver {
  // Two tries within the limit, since a datagram may be lost.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  if (server !== undefined) resolver.setServers([server]);
  return resolver;
}

/**
 * Queries a name server directly, without the hosts file. Without a record type: both kinds of
 * address.
 */
async function query(
  name: string,
  type: RecordType | undefined,
  resolver: Resolver,
): Promise<string[]> {
  switch (type) {
    case undefined: {
      const [four, six] = await Promise.allSettled([
        resolver.resolve4(name),
        resolver.resolve6(name),
      ]);
      const found = [four, six].flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      if (found.length === 0 && four.status === 'rejected') throw four.reason;
      return found;
    }
    case 'A':
      return resolver.resolve4(name);
    case 'AAAA':
      return resolver.resolve6(name);
    case 'CNAME':
      return resolver.resolveCname(name);
    case 'NS':
      return resolver.resolveNs(name);
    case 'MX':
      return (await resolver.resolveMx(name)).map(
        ({ priority, exchange }) => `${priority} ${exchange}`,
      );
    case 'SRV':
      return (await resolver.resolveSrv(name)).map(
        ({ priority, weight, port, name: target }) => `${priority} ${weight} ${port} ${target}`,
      );
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((chunks) => chunks.join(''));
  }
}

function expectedOf(node: TopologyNode): string[] {
  const value: Json = node.attributes['expectAddress'] ?? [];
  const list: Json[] = Array.isArray(value) ? value : [value];
  return list.map((each) => {
    if (typeof each !== 'string' || each === '')
      throw attributeError(node, 'expectAddress', 'an address or a list of addresses');
    return each;
  });
}

function recordTypeOf(node: TopologyNode): RecordType | undefined {
  const text = textAttribute(node, 'recordType')?.toUpperCase();
  const type = RECORD_TYPES.find((each) => each === text);
  if (text !== undefined && type === undefined)
    throw attributeError(node, 'recordType', `one of ${RECORD_TYPES.join(', ')}`);
  return type;
}

/** @throws Error if it is not an address; {@link deniedServer} checks its port */
function serverOf(node: TopologyNode): HostPort | undefined {
  const text = textAttribute(node, 'server');
  if (text === undefined) return undefined;
  const server = parseServer(text);
  if (server === undefined)
    throw attributeError(
      node,
      'server',
      'an address with or without a port, such as 10.0.0.2 or [::1]:53',
    );
  return server;
}

/** Whether tools may use the port of the name server that a node names. */
function deniedServer(
  { attributes: { server: text } }: TopologyNode,
  { dnsPorts }: ProbePolicy,
): Denial | undefined {
  const server = typeof text === 'string' ? parseServer(text) : undefined;
  if (server === undefined || dnsPorts.includes(server.port)) return undefined;
  const rule = `a name server may be asked on port ${dnsPorts.join(', ')}, not ${server.port}; an operator can allow others by PROBE_DNS_PORTS`;
  return { field: 'attributes.server', error: new EgressDeniedError(showHostPort(server), rule) };
}

/**
 * The resolver of the service may know records of its networks, and other records than addresses do
 * not show whether they are.
 */
function deniedRecords(
  { attributes: { server, recordType } }: TopologyNode,
  { allRecords }: ProbePolicy,
): Denial | undefined {
  if (allRecords || server !== undefined || typeof recordType !== 'string') return undefined;
  if (ADDRESSES.has(recordType.toUpperCase())) return undefined;
  const error = new EgressDeniedError("the service's resolver", ADDRESSES_ONLY);
  return { field: 'attributes.recordType', error };
}

const ADDRESSES = new Set(['A', 'AAAA']);
const ADDRESSES_ONLY =
  'the topologies of tenants ask it for addresses only; name a name server (attribute `server`)';

function parseServer(text: string): HostPort | undefined {
  const [, six, four, digits] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = isIP(text) !== 0 ? text : (six ?? four ?? '');
  return isIP(host) === 0 ? undefined : { host, port: Number(digits ?? 53) };
}
