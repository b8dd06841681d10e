import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import {
  bytesOf,
  int16,
  int32,
  int64,
  int8,
  KafkaReader,
  list,
  string,
} from '../../../src/sources/kafka/wire.js';
import type { Loopback } from '../loopback.js';
import { handshakeBody, signInBody, type KafkaUser, type SignIn } from '../scripted-sign-in.js';

/** Of a partition: its leader, its replicas and those in sync. */
export interface ScriptedPartition {
  leader: number;
  replicas: number[];
  inSync: number[];
  end: number;
}

export interface ScriptedGroup {
  /** The id of its coordinator. */
  at: number;
  state: string;
  members?: number;
  /** By partition: `orders-0`. */
  offsets?: Record<string, number>;
  type?: string;
  /** What describing it, and asking for its offsets, is answered with. */
  error?: number;
}

/** What a cluster of scripted brokers says. It may change while they run. */
export interface KafkaScript {
  controller?: number;
  /** How many it names, if they are not those that run. */
  brokers?: number;
  topics: Record<string, ScriptedPartition[]>;
  groups: Record<string, ScriptedGroup>;
  /** Least and greatest versions by key, in place of those of Kafka 3.7. */
  versions?: Record<number, [number, number]>;
  user?: KafkaUser;
  /** Addresses that are named for brokers, in place of their own. */
  advertised?: Record<number, { host: string; port: number }>;
  /** What is sent in place of an answer, both without their length; undefined: nothing. */
  change?: (answer: Buffer, request: { broker: number; key: number }) => Buffer | undefined;
  tls?: TlsOptions;
}

export interface ScriptedKafka {
  ports: number[];
  /** `1 metadata 5`: broker, request and version, in order. */
  requests: string[];
  /** That were made so far. */
  connections: number;
}

const VERSIONS: Record<number, [number, number]> = {
  0: [0, 10],
  2: [0, 8],
  3: [0, 12],
  9: [0, 8],
  15: [0, 5],
  16: [0, 4],
  17: [0, 1],
  18: [0, 3],
  36: [0, 2],
};
const NAMES: Record<number, string> = {
  2: 'ends',
  3: 'metadata',
  9: 'offsets',
  15: 'describe',
  16: 'list',
  17: 'handshake',
  18: 'versions',
  36: 'sign-in',
};
const UNKNOWN_PARTITION = 3;
const NOT_COORDINATOR = 16;

/** Brokers 1, 2, … on loopback that speak the protocol of Kafka. */
export async function scriptedKafka(
  loopback: Loopback,
  script: KafkaScript,
  count = 2,
): Promise<ScriptedKafka> {
  const kafka: ScriptedKafka = { ports: [], requests: [], connections: 0 };
  const open = async (id: number) => {
    const serve = (socket: Socket) => {
      kafka.connections += 1;
      serveBroker(id, socket, script, kafka);
    };
    const server = script.tls ? createTlsServer(script.tls, serve) : createServer(serve);
    return loopback.open(server);
  };
  for (let id = 1; id <= count; id += 1) kafka.ports.push(await open(id));
  return kafka;
}

interface Session extends SignIn {
  id: number;
  script: KafkaScript;
  ports: readonly number[];
}

function serveBroker(id: number, socket: Socket, script: KafkaScript, kafka: ScriptedKafka): void {
  const session: Session = {
    id,
    script,
    ports: kafka.ports,
    user: script.user,
    isSignedIn: script.user === undefined,
    mechanism: '',
    said: [],
  };
  let held = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    held = Buffer.concat([held, bytes]);
    while (held.length >= 4 && held.length >= 4 + held.readInt32BE()) {
      const request = new KafkaReader(held.subarray(4, 4 + held.readInt32BE()));
      held = held.subarray(4 + held.readInt32BE());
      const key = request.int16();
      const version = request.int16();
      const correlation = request.int32();
      request.nullableString();
      kafka.requests.push(`${id} ${NAMES[key] ?? key} ${version}`);
      if (!session.isSignedIn && ![17, 18, 36].includes(key)) return void socket.destroy();
      const own = Buffer.concat([int32(correlation), bodyOf(key, version, request, session)]);
      const answer = script.change ? script.change(own, { broker: id, key }) : own;
      if (answer === undefined) continue;
      socket.write(Buffer.concat([int32(answer.length), answer]));
    }
  });
}

function bodyOf(key: number, version: number, request: KafkaReader, session: Session): Buffer {
  switch (key) {
    case 2:
      return endsBody(version, request, session);
    case 3:
      return metadataBody(version, session);
    case 9:
      return offsetsBody(version, request, session);
    case 15:
      return describeBody(version, request, session);
    case 16:
      return listBody(version, session);
    case 17:
      return handshakeBody(request, session);
    case 36:
      return signInBody(request, session);
    default: {
      const versions = Object.entries(session.script.versions ?? VERSIONS);
      const each = versions.map(([api, [from, to]]) =>
        Buffer.concat([int16(Number(api)), int16(from), int16(to)]),
      );
      return Buffer.concat([int16(0), list(each)]);
    }
  }
}

const NONE = int16(-1);
const since = (version: number, least: number, bytes: Buffer) =>
  version >= least ? bytes : Buffer.alloc(0);

function metadataBody(version: number, { script, ports }: Session): Buffer {
  const count = script.brokers ?? ports.length;
  const brokers = Array.from({ length: count }, (_, at) => {
    const known = script.advertised?.[at + 1] ?? { host: '127.0.0.1', port: ports[at] ?? 0 };
    return Buffer.concat([int32(at + 1), string(known.host), int32(known.port), NONE]);
  });
  const topics = Object.entries(script.topics).map(([name, partitions]) => {
    const each = partitions.map(({ leader, replicas, inSync }, index) =>
      Buffer.concat([
        int16(leader < 0 ? 5 : 0),
        int32(index),
        int32(leader),
        list(replicas.map(int32)),
        list(inSync.map(int32)),
        since(version, 5, list([])),
      ]),
    );
    return Buffer.concat([int16(0), string(name), int8(0), list(each)]);
  });
  return Buffer.concat([
    since(version, 3, int32(0)),
    list(brokers),
    since(version, 2, string('cluster')),
    int32(script.controller ?? 1),
    list(topics),
  ]);
}

function endsBody(version: number, request: KafkaReader, { id, script }: Session): Buffer {
  request.int32();
  if (version >= 2) request.int8();
  const topics = request.list(() => {
    const name = request.string();
    const each = request.list(() => {
      const index = request.int32();
      if (request.int64() !== -1) throw new Error('asks for another time than the latest');
      const partition = script.topics[name]?.[index];
      const isOwn = partition?.leader === id;
      return Buffer.concat([
        int32(index),
        int16(isOwn ? 0 : UNKNOWN_PARTITION),
        int64(-1),
        int64(isOwn ? partition.end : -1),
      ]);
    });
    return Buffer.concat([string(name), list(each)]);
  });
  return Buffer.concat([since(version, 2, int32(0)), list(topics)]);
}

function offsetsBody(version: number, request: KafkaReader, { id, script }: Session): Buffer {
  const group = script.groups[request.string()];
  const isOwn = group === undefined || group.at === id;
  const error = isOwn ? (group?.error ?? 0) : NOT_COORDINATOR;
  const topics = Object.entries(error === 0 ? (group?.offsets ?? {}) : {}).map(([key, offset]) => {
    const at = key.lastIndexOf('-');
    const partition = Buffer.concat([
      int32(Number(key.slice(at + 1))),
      int64(offset),
      string('noted'),
      int16(0),
    ]);
    return Buffer.concat([string(key.slice(0, at)), list([partition])]);
  });
  return Buffer.concat([since(version, 3, int32(0)), list(topics), int16(error)]);
}

function describeBody(version: number, request: KafkaReader, { id, script }: Session): Buffer {
  const groups = request.list(() => {
    const name = request.string();
    const group = script.groups[name] ?? { at: 1, state: 'Dead' };
    const error = group.at === id ? (group.error ?? 0) : NOT_COORDINATOR;
    const member = Buffer.concat([
      string('member'),
      string('client'),
      string('/10.0.0.1'),
      bytesOf(Buffer.alloc(40)),
      bytesOf(Buffer.alloc(0)),
    ]);
    const state = error === 0 ? group.state : '';
    const members = Array<Buffer>(error === 0 ? (group.members ?? 0) : 0).fill(member);
    return Buffer.concat([
      int16(error),
      string(name),
      string(state),
      string('consumer'),
      string('range'),
      list(members),
    ]);
  });
  return Buffer.concat([since(version, 1, int32(0)), list(groups)]);
}

function listBody(version: number, { id, script }: Session): Buffer {
  const own = Object.entries(script.groups).filter(([, { at }]) => at === id);
  const groups = own.map(([name, { type = 'consumer' }]) =>
    Buffer.concat([string(name), string(type)]),
  );
  return Buffer.concat([since(version, 1, int32(0)), int16(0), list(groups)]);
}
