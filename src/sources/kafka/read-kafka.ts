import { SourceError } from '../http/source-error.js';
import { withinTime } from '../../lib/async.js';
import { endOffsets, type KafkaBroker, type KafkaMetadata, metadata } from './kafka-calls.js';
import type { KafkaConnection, KafkaReach } from './kafka-connection.js';
import { type CommittedGroup, groupsAt } from './groups-at.js';
import { type KafkaServer, MOST_BROKERS } from './kafka-server.js';
import { asUser, type SilentVisit, Visits } from './visits.js';

const MOST_PARTITIONS = 5_000;
const MOST_GROUPS = 100;
/** Maximum committed offsets of all groups. */
const MOST_POSITIONS = 50_000;

export interface KafkaGroup {
  id: string;
  /** Undefined if it is unknown. */
  state: string | undefined;
  members: number;
  /** Messages that it has not read yet: of the partitions whose end is known. */
  lag: number;
  /** The sum of the committed offsets of the same partitions: its position. */
  position: number;
  /** Partitions with a committed offset. */
  partitions: number;
  /** Of those, partitions whose end could not be read. */
  unknown: number;
  /** The partition with the largest lag. */
  worst: { topic: string; index: number; lag: number } | undefined;
}

/** The state of a cluster. */
export interface KafkaReading extends TimedMetadata {
  /** Brokers that could not be reached, and why. */
  silent: readonly SilentVisit[];
  groups: KafkaGroup[];
  /** What could not be read, and why. */
  unread: readonly string[];
  /** The subset for which a right is missing. */
  refused: readonly string[];
  /** Connections that were made. */
  connections: number;
  /** ms for all of it. */
  tookMs: number;
}

export interface KafkaQuestion {
  /** Names of consumer groups; absent: all. */
  groups?: readonly string[];
  /** Whether a broker that the cluster names may be connected to. */
  mayAsk?: (host: string) => boolean;
  /** ms for a whole reading. */
  readingMs: number;
}

/** The metadata of a cluster, and the ms that this answer took. */
type TimedMetadata = KafkaMetadata & { answerMs: number };

async function timedMetadata(connection: KafkaConnection): Promise<TimedMetadata> {
  const started = performance.now();
  const cluster = await metadata(connection);
  return { ...cluster, answerMs: performance.now() - started };
}

/**
 * The metadata of a cluster, from the first of its brokers that answers.
 * @throws SourceError of the first that was reached, otherwise of the last, with the messages of
 *   all; the signal's reason
 */
export async function readMetadata(server: KafkaServer, reach: KafkaReach): Promise<TimedMetadata> {
  const errors: SourceError[] = [];
  for (const broker of server.bootstrap) {
    try {
      return await asUser(broker, server, reach, timedMetadata);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (reach.signal.aborted) throw inAll(errors) ?? error;
      errors.push(error);
    }
  }
  throw inAll(errors) ?? new SourceError('failed', 'no broker is named');
}

/** The most specific error, with the messages of all. */
function inAll(errors: readonly SourceError[]): SourceError | undefined {
  const told = errors.find(wasReached) ?? errors.at(-1);
  const words = [...new Set(errors.map(({ message }) => message))].join('; ');
  return told && new SourceError(told.failure, words, told.options);
}

const wasReached = ({ failure, options }: SourceError): boolean =>
  failure !== 'unreachable' || options.isClosed === true || options.otherProtocol !== undefined;

/**
 * Reads a cluster: its metadata, the groups of each broker, and the ends of the partitions that
 * they have read from. One connection at a time, at most two to each broker; what cannot be read,
 * also for lack of time, is named.
 * @throws SourceError if no broker returns the metadata; the signal's reason
 */
export async function readKafka(
  server: KafkaServer,
  reach: KafkaReach,
  question: KafkaQuestion,
): Promise<KafkaReading> {
  const { signal } = reach;
  const ms = question.readingMs;
  // The wait for places among the connections to its host may have used up the time.
  const late = () => new SourceError('failed', `not read within ${ms} ms`);
  return withinTime({ outer: signal, ms, late }, (own) =>
    readAll(new Visits(server, { ...reach, signal: own }, signal), question),
  );
}

async function readAll(
  visits: Visits,
  { groups: names, mayAsk = () => true }: KafkaQuestion,
): Promise<KafkaReading> {
  const started = performance.now();
  const { server, reach } = visits;
  const note = (why: string, isRefused?: boolean) => visits.note(why, isRefused);
  const cluster = await readMetadata(server, reach);
  const asked = cluster.brokers.slice(0, MOST_BROKERS).filter(({ id, host, port }) => {
    const isAllowed = port > 0 && port < 65_536 && mayAsk(host);
    if (!isAllowed) note(`broker ${id}: the topology names no address of it`);
    return isAllowed;
  });
  if (cluster.brokers.length > MOST_BROKERS)
    note(`${cluster.brokers.length - MOST_BROKERS} brokers: at most ${MOST_BROKERS} are asked`);

  const found: CommittedGroup[] = [];
  const left = { groups: MOST_GROUPS, positions: MOST_POSITIONS };
  for (const broker of asked) {
    const own = await visits.to(broker, (connection) =>
      groupsAt(connection, { names, left: { ...left }, note }),
    );
    for (const group of own ?? []) {
      found.push(group);
      left.groups -= 1;
      left.positions -= group.positions.length;
    }
  }
  const lost = (names ?? []).filter((name) => found.every(({ id }) => id !== name));
  if (lost.length > 0) note(`groups whose coordinator did not answer: ${lost.join(', ')}`);

  const ends = new Map<string, number>();
  const heard = asked.filter(({ id }) => visits.silent.every((each) => each.id !== id));
  for (const [broker, wanted] of byLeader(cluster, found, heard, note)) {
    const own = await visits.to(broker, (connection) => endOffsets(connection, wanted));
    for (const { topic, index, offset } of own ?? []) ends.set(`${index} ${topic}`, offset);
  }
  const { silent, unread, refused, connections } = visits;
  const groups = found.map((group) => withLag(group, ends));
  const tookMs = performance.now() - started;
  return {
    ...cluster,
    silent,
    groups,
    unread,
    refused,
    connections: 1 + connections,
    tookMs,
  };
}

/** The partitions with committed offsets, by the broker that leads them. */
function byLeader(
  { partitions }: KafkaMetadata,
  groups: readonly CommittedGroup[],
  brokers: readonly KafkaBroker[],
  note: (why: string) => void,
): Map<KafkaBroker, Map<string, number[]>> {
  const leaders = new Map(brokers.map((broker) => [broker.id, broker]));
  const leaderOf = new Map(
    partitions.map(({ topic, index, leader }) => [`${index} ${topic}`, leaders.get(leader)]),
  );
  const wanted = new Map<KafkaBroker, Map<string, number[]>>();
  const seen = new Set<string>();
  for (const { topic, index } of groups.flatMap(({ positions }) => positions)) {
    const key = `${index} ${topic}`;
    const leader = leaderOf.get(key);
    if (leader === undefined || seen.has(key)) continue;
    if (seen.size === MOST_PARTITIONS) {
      note(`ends of partitions: at most ${MOST_PARTITIONS} are read`);
      break;
    }
    seen.add(key);
    const topics = wanted.get(leader) ?? new Map<string, number[]>();
    const indexes = topics.get(topic) ?? [];
    indexes.push(index);
    wanted.set(leader, topics.set(topic, indexes));
  }
  return wanted;
}

function withLag(
  { id, state, members, positions }: CommittedGroup,
  ends: ReadonlyMap<string, number>,
): KafkaGroup {
  let lag = 0;
  let position = 0;
  let unknown = 0;
  let worst: KafkaGroup['worst'];
  for (const { topic, index, offset } of positions) {
    const end = ends.get(`${index} ${topic}`);
    if (end === undefined) {
      unknown += 1;
      continue;
    }
    const behind = Math.max(0, end - offset);
    lag += behind;
    position += offset;
    if (behind > (worst?.lag ?? 0)) worst = { topic, index, lag: behind };
  }
  return { id, state, members, lag, position, partitions: positions.length, unknown, worst };
}
