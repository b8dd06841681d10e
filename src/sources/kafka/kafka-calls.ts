import { SourceError } from '../http/source-error.js';
import type { KafkaConnection } from './kafka-connection.js';
import type { KafkaAddress } from './kafka-server.js';
import { int32, int64, int8, type KafkaReader, list, NO_LIST, string } from './wire.js';

/** https://kafka.apache.org/protocol#protocol_error_codes */
const NOT_COORDINATOR = 16;
const DENIED: readonly number[] = [29, 30, 31];
/** Maximum characters of a state. */
const MOST_STATE = 40;
/** Time of ListOffsets for the end of a partition. */
const LATEST = -1;
/** Groups with any other type, such as `connect`, commit no offsets. */
const CONSUMER = ['consumer', ''];

export interface KafkaBroker extends KafkaAddress {
  id: number;
}

export interface KafkaPartition {
  topic: string;
  index: number;
  /** Id of a broker; -1: none. */
  leader: number;
  replicas: number;
  /** Replicas that have all messages. */
  inSync: number;
}

export interface KafkaMetadata {
  /** Id of a broker; -1: none. */
  controller: number;
  brokers: KafkaBroker[];
  topics: number;
  partitions: KafkaPartition[];
}

/** The brokers, and the topics that the user may describe. Creates none. */
export async function metadata(connection: KafkaConnection): Promise<KafkaMetadata> {
  const { answer, version } = await connection.call('metadata', (of) =>
    of >= 4 ? Buffer.concat([NO_LIST, int8(0)]) : NO_LIST,
  );
  if (version >= 3) answer.int32(); // Time for which the client was throttled.
  const brokers = answer.list(() => {
    const broker = { id: answer.int32(), host: answer.string(), port: answer.int32() };
    answer.nullableString(); // Its rack.
    return broker;
  });
  if (version >= 2) answer.nullableString(); // Id of the cluster.
  const controller = answer.int32();
  const partitions: KafkaPartition[] = [];
  const topics = answer.list(() => {
    answer.int16();
    const topic = answer.string();
    answer.int8(); // Whether it is Kafka's own.
    answer.list(() => {
      answer.int16();
      const index = answer.int32();
      const leader = answer.int32();
      const replicas = answer.lengthOfNumbers();
      const inSync = answer.lengthOfNumbers();
      if (version >= 5) answer.lengthOfNumbers(); // Replicas that are offline.
      partitions.push({ topic, index, leader, replicas, inSync });
    });
  });
  return { controller, brokers, topics: topics.length, partitions };
}

/** Consumer groups that this broker coordinates, and which the user may describe. */
export async function listGroups(connection: KafkaConnection): Promise<string[]> {
  const { answer, version } = await connection.call('listGroups', () => Buffer.alloc(0));
  if (version >= 1) answer.int32();
  allowed(answer.int16(), 'the groups of a broker');
  const groups = answer.list(() => ({ id: answer.string(), type: answer.string() }));
  return groups.filter(({ type }) => CONSUMER.includes(type)).map(({ id }) => id);
}

export interface KafkaGroupState {
  id: string;
  /** `Stable`, `Empty`, `PreparingRebalance`, …; undefined where the broker does not say it. */
  state: string | undefined;
  members: number;
}

/** The requested groups that this broker coordinates. */
export async function describeGroups(
  connection: KafkaConnection,
  ids: readonly string[],
): Promise<KafkaGroupState[]> {
  const { answer, version } = await connection.call('describeGroups', () => list(ids.map(string)));
  if (version >= 1) answer.int32();
  const groups = answer.list(() => {
    const error = answer.int16();
    const id = answer.string();
    const state = answer.string();
    answer.string(); // Its type, and how it assigns partitions.
    answer.string();
    const members = answer.list(() => skipMember(answer)).length;
    return { error, id, state, members };
  });
  return groups
    .filter(({ error }) => error !== NOT_COORDINATOR)
    .map(({ error, id, state, members }) => ({
      id,
      members,
      // Dead is also a group of the newer protocol, which these versions do not show.
      state: error !== 0 || state === 'Dead' ? undefined : state.slice(0, MOST_STATE),
    }));
}

function skipMember(answer: KafkaReader): void {
  for (let text = 0; text < 3; text += 1) answer.string(); // Its id, its client, its host.
  answer.bytesField();
  answer.bytesField();
}

export interface KafkaPosition {
  topic: string;
  index: number;
  offset: number;
}

/**
 * The committed positions of a group; undefined if this broker is not its coordinator.
 * @throws SourceError `refused`
 */
export async function committed(
  connection: KafkaConnection,
  group: string,
): Promise<KafkaPosition[] | undefined> {
  const { answer, version } = await connection.call('offsetFetch', () =>
    Buffer.concat([string(group), NO_LIST]),
  );
  if (version >= 3) answer.int32();
  const positions = topicsOf(answer, () => {
    const index = answer.int32();
    const offset = answer.int64();
    answer.nullableString(); // What the client has added.
    return { index, offset, error: answer.int16() };
  });
  const error = answer.int16();
  if (error === NOT_COORDINATOR) return undefined;
  allowed(error, `the offsets of group ${group}`);
  return positions;
}

/** The ends of partitions that this broker leads. A partition with an unknown end is omitted. */
export async function endOffsets(
  connection: KafkaConnection,
  wanted: ReadonlyMap<string, readonly number[]>,
): Promise<KafkaPosition[]> {
  const topics = [...wanted].map(([topic, indexes]) => {
    const each = indexes.map((index) => Buffer.concat([int32(index), int64(LATEST)]));
    return Buffer.concat([string(topic), list(each)]);
  });
  const { answer, version } = await connection.call('listOffsets', (of) =>
    Buffer.concat([int32(-1), ...(of >= 2 ? [int8(0)] : []), list(topics)]),
  );
  if (version >= 2) answer.int32();
  return topicsOf(answer, () => {
    const index = answer.int32();
    const error = answer.int16();
    answer.int64(); // Its time.
    return { index, offset: answer.int64(), error };
  });
}

/** Positions by topic: those that have one, and no error. */
function topicsOf(
  answer: KafkaReader,
  read: () => { index: number; offset: number; error: number },
): KafkaPosition[] {
  const positions: KafkaPosition[] = [];
  answer.list(() => {
    const topic = answer.string();
    answer.list(() => {
      const { index, offset, error } = read();
      if (error === 0 && offset >= 0) positions.push({ topic, index, offset });
    });
  });
  return positions;
}

/** @throws SourceError if a broker answers with an error */
function allowed(error: number, what: string): void {
  if (error === 0) return;
  throw DENIED.includes(error)
    ? new SourceError('refused', `the user may not see ${what} (error ${error})`)
    : new SourceError('failed', `${what}: error ${error}`);
}
