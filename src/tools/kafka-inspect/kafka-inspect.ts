import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { isRecorded } from '../../domain/topology/recorded.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { ATTRIBUTE_BOUNDS } from '../../domain/topology/node-attributes.js';
import { pause } from '../../lib/async.js';
import { SourceError } from '../../sources/http/source-error.js';
import type { KafkaReach } from '../../sources/kafka/kafka-connection.js';
import { bootstrapOf, type KafkaServer } from '../../sources/kafka/kafka-server.js';
import {
  type KafkaQuestion,
  type KafkaReading,
  readKafka,
} from '../../sources/kafka/read-kafka.js';
import { nodeArgument } from '../arguments.js';
import { numberAttribute, slowMsOf, timeoutMsOf } from '../attributes.js';
import { clean, hostOf, showHostPort } from '../net/endpoint.js';
import { faultIssue, messageOf, type NetworkFault } from '../net/network-error.js';
import { orWrongAddress } from '../net/spoken-protocol.js';
import { toolResult, worstIssues } from '../result.js';
import { ofSource, servedFault, servedNetworkFault } from '../served-fault.js';
import { selectsFrom } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';
import { judgeKafka, type SilentBroker } from './kafka-judgement.js';
import { type LagLater, mayFallBack } from './group-lag.js';

/** Maximum missing rights that are named. */
const MOST_REFUSED = 3;
/** For all connections. */
const READING_MS = 20_000;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;
/** The groups and brokers to read. */
type Question = Omit<KafkaQuestion, 'readingMs'>;

/**
 * The state of a Kafka, with the credential of SOURCES_FILE or without one. One that refuses it is
 * a `SourceError` `refused`: the node is unchecked. Attributes: `groupLag`, `intervalMs`, `slowMs`,
 * `timeoutMs`.
 */
export const kafkaInspect: Tool<Args> = {
  name: 'kafka_inspect',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  holds: 32 * 2 ** 20,
  args,
  appliesTo: (node, sources) =>
    node.kind === 'kafka' &&
    (bootstrapOf(node.endpoint ?? '') !== undefined ||
      isRecorded(sources) ||
      selectsFrom(node, 'kafka', sources)),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node, signal, policy } = context;
  const { source, server, question } = await targetOf(context);
  const target = server.bootstrap.slice(0, 3).map(showHostPort).join(',');
  const measured = { target, ...(source !== undefined && { source }) };
  const thresholds = {
    groupLag: numberAttribute(node, 'groupLag', 10_000),
    slowMs: slowMsOf(node),
  };
  const egress = {
    resolve: (address: { host: string; port: number }) => policy.egress.resolve(address),
    enter: ({ host, port }: { host: string; port: number }) => context.enter(host, port),
  };
  try {
    const reach = { egress, signal, timeoutMs: timeoutMsOf(node) };
    const reading = withoutOwnFaults(
      await readKafka(server, reach, { ...question, readingMs: READING_MS }),
    );
    const areNamed = question.groups !== undefined;
    const later = await lagLater(
      context,
      { server, reach, question },
      reading,
      thresholds.groupLag,
    );
    const { measurements, issues, judged } = judgeKafka(
      { ...reading, areNamed, ...(later && { later }) },
      thresholds,
      (text) => clean(text, node, 100),
    );
    const { shown, leftOff } = worstIssues(issues.map((issue) => cleaned(issue, node)));
    const first = shown.find(({ severity }) => severity !== 'info');
    const { brokers, partitions } = reading;
    const summary = first
      ? `${target}: ${first.title}`
      : `${target}: ${brokers.length} brokers, ${partitions.length} partitions, all values within their limits`;
    const all = { ...measured, ...measurements, issues_left_off: leftOff };
    const result = toolResult(summary, all, shown, judged);
    const refused = reading.refused.slice(0, MOST_REFUSED).map((why) => clean(why, node, 200));
    return refused.length === 0
      ? result
      : { ...result, hidden: `A right is missing (DESCRIBE): ${refused.join('; ')}.` };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = source === undefined ? thrown : ofSource(source, thrown);
    const isClosed = error instanceof SourceError && error.options.isClosed === true;
    const met = isClosed ? CLOSED : servedNetworkFault(error, 'a Kafka');
    const fault = await orWrongServer(met, server.bootstrap, context);
    // For example a Kafka behind TLS: nothing is known about it.
    if (fault === CLOSED) throw error;
    const found = faultIssue(fault, `a Kafka at ${target}`);
    const each = server.bootstrap.length > 1 ? ` Each of them: ${messageOf(error)}.` : '';
    const issue = cleaned({ ...found, detail: `${found.detail}${each}` }, node);
    return toolResult(`${target}: ${issue.title}`, { ...measured, error: issue.title }, [issue]);
  }
}

/** A fault of brokers, or the identity of the first that is another server. */
async function orWrongServer(
  met: NetworkFault,
  brokers: KafkaServer['bootstrap'],
  context: ToolContext,
): Promise<NetworkFault> {
  for (const broker of brokers) {
    const fault = await orWrongAddress(met, 'a Kafka', broker, context);
    if (fault !== met) return fault;
  }
  return met;
}

/** It may be a Kafka, or another server. */
const CLOSED: NetworkFault = {
  kind: 'reset',
  symptom: 'erroring',
  text: 'connection closed before the answer',
};

/**
 * A group commits every five seconds by default: within less time, one that keeps up seems to make
 * no progress.
 */
const INTERVAL_MS = 6_000;
/**
 * Maximum groups that are read a second time, and the time for it; if the first reading took
 * longer, there is no second.
 */
const MOST_AGAIN = 10;
const AGAIN_MS = 6_000;
const LONG_MS = 10_000;

/**
 * The lag of groups that are far behind, or may be falling back, some seconds later; undefined if
 * there are none, or if it cannot be read.
 */
async function lagLater(
  { node, signal }: ToolContext,
  { server, reach, question }: { server: KafkaServer; reach: KafkaReach; question: Question },
  { groups, tookMs }: Pick<KafkaReading, 'groups' | 'tookMs'>,
  groupLag: number,
): Promise<LagLater | undefined> {
  const far = groups.filter(
    (group) => (group.lag > groupLag || mayFallBack(group)) && group.unknown === 0,
  );
  if (far.length === 0 || tookMs > LONG_MS) return undefined;
  const names = far
    .toSorted((a, b) => b.lag - a.lag)
    .slice(0, MOST_AGAIN)
    .map(({ id }) => id);
  const started = performance.now();
  await pause(
    numberAttribute(node, 'intervalMs', INTERVAL_MS, ATTRIBUTE_BOUNDS.intervalMs),
    signal,
  );
  try {
    const again = { ...question, groups: names, readingMs: AGAIN_MS };
    const reading = await readKafka(server, reach, again);
    const known = reading.groups.filter(({ unknown }) => unknown === 0);
    return {
      seconds: (performance.now() - started) / 1_000,
      groups: new Map(known.map(({ id, lag, position }) => [id, { lag, position }])),
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return undefined; // The first reading is sufficient for a finding.
  }
}

/** The Kafka that the node selects from, else that of its endpoint. @throws where it has neither */
async function targetOf({
  node,
  nodes,
  sources,
}: ToolContext): Promise<{ source?: string; server: KafkaServer; question: Question }> {
  const access = await sources?.kafkaOf?.(node);
  if (access) {
    const { source, server, selector } = access;
    return { source, server, question: selector === '*' ? {} : { groups: selector.split(',') } };
  }
  const bootstrap = bootstrapOf(node.endpoint ?? '');
  if (bootstrap === undefined)
    throw new Error(
      `kafka_inspect needs a node with an endpoint host:port, or one that selects from a kafka source; see ${node.id}`,
    );
  // An answer of a server must not lead to hosts that the author of the topology did not name.
  const named = [
    ...bootstrap.map(({ host }) => host),
    ...nodes.flatMap((each) => hostOf(each) ?? []),
    ...nodes.flatMap(({ endpoint = '' }) => bootstrapOf(endpoint)?.map(({ host }) => host) ?? []),
  ];
  const hosts = new Set(named.map((host) => host.toLowerCase()));
  return {
    server: { bootstrap },
    question: { mayAsk: (host) => hosts.has(host.toLowerCase()) },
  };
}

/** A failure of this service to contact a broker shows nothing about that broker: it is unread. */
function withoutOwnFaults(
  reading: KafkaReading,
): Omit<KafkaReading, 'silent'> & { silent: SilentBroker[] } {
  const silent: SilentBroker[] = [];
  const unread = [...reading.unread];
  for (const { id, address, error } of reading.silent) {
    try {
      const expected = 'it';
      const fault = servedFault(error, { target: address, expected });
      const { title: why, kind, duration_ms: waitedMs } = fault;
      const waited = waitedMs !== undefined && { waitedMs };
      silent.push({ id, address, why, ...(kind && { kind }), ...waited });
    } catch {
      unread.push(`broker ${id}: ${error.message}`);
    }
  }
  return { ...reading, silent, unread };
}

const cleaned = (issue: Issue, node: TopologyNode): Issue => ({
  ...issue,
  title: clean(issue.title, node, 200),
  detail: clean(issue.detail, node, 500),
});
