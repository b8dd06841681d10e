import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  hasKcat,
  type KafkaProgram,
  startKcat,
} from '../../../test/support/programs/kafka-program.js';
import { healthyKafka } from '../../../test/support/programs/healthy-kafka.js';
import {
  issueTitles,
  KAFKA_PASSWORD,
  lookAtKafka,
  lookByKafkaSource,
} from '../../../test/support/sources/look-at-kafka.js';
import { closedPort, Loopback, nodeOf } from '../../../test/support/loopback.js';
import {
  type KafkaScript,
  scriptedKafka,
  type ScriptedKafka,
} from '../../../test/support/sources/scripted-kafka.js';
import { kafkaInspect } from './kafka-inspect.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const start = (script: KafkaScript): Promise<ScriptedKafka> => scriptedKafka(loopback, script);

test('applies to a node with brokers, or one that selects from a Kafka', () => {
  const sources = [{ id: 'mq', kind: 'kafka' as const, provides: [] }];
  expect(kafkaInspect.appliesTo(nodeOf('kafka', 'a:9092,b:9092'))).toBe(true);
  expect(kafkaInspect.appliesTo(nodeOf('kafka'), sources)).toBe(false);
  expect(kafkaInspect.appliesTo({ ...nodeOf('kafka'), in: { mq: '*' } }, sources)).toBe(true);
  expect(kafkaInspect.appliesTo(nodeOf('tcp', 'a:9092'))).toBe(false);
});

describe('a cluster', () => {
  test('that is well has no issue; two connections to each broker, none of them left open', async () => {
    const kafka = await start(healthyKafka());
    const { ports, requests } = kafka;
    const { status, issues, measurements } = await lookByKafkaSource(ports);
    expect([status, issues]).toEqual(['ok', []]);
    expect(measurements).toMatchObject({
      brokers: 2,
      topics: 1,
      partitions: 2,
      groups: 1,
      connections: 5,
      farthest: [{ name: 'mailer', state: 'Stable', members: 2, lag: 0 }],
    });
    expect(kafka.connections).toBe(5);
    expect(requests.filter((each) => !each.endsWith('versions 0'))).toEqual([
      '1 metadata 5',
      '1 list 2',
      '2 list 2',
      '2 describe 2',
      '2 offsets 4',
      '1 ends 2',
      '2 ends 2',
    ]);
    expect(await loopback.openConnections()).toBe(0);
  });

  test.each([
    ['of Kafka 0.11', { 2: [0, 2], 3: [0, 4], 9: [0, 3], 15: [0, 1], 16: [0, 1] }],
    ['of Kafka 4', { 2: [1, 10], 3: [4, 13], 9: [1, 9], 15: [0, 6], 16: [0, 5] }],
  ])('%s is read in versions that both know', async (_, versions) => {
    const script = { ...healthyKafka(), versions: { ...versions, 18: [0, 4] } as never };
    const { status, measurements } = await lookByKafkaSource((await start(script)).ports);
    expect(status).toBe('ok');
    expect(measurements).toMatchObject({ source: 'mq', farthest: [{ name: 'mailer', lag: 0 }] });
  });

  test('that knows no version of this client says which it has', async () => {
    const { ports } = await start({ ...healthyKafka(), versions: { 3: [7, 13], 18: [0, 4] } });
    await expect(lookByKafkaSource(ports)).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringMatching(
        /^source mq: .*request 3 is needed in a version from 1 to 5, and it has 7 to 13/,
      ) as unknown,
    });
  });

  test('without controller, with partitions without leader and without copies', async () => {
    const script = healthyKafka();
    script.controller = -1;
    script.topics['pay'] = [
      { leader: -1, replicas: [1], inSync: [], end: 0 },
      { leader: 1, replicas: [1, 2], inSync: [1], end: 0 },
      { leader: 1, replicas: [1, 2, 3], inSync: [1, 2], end: 0 },
    ];
    expect(issueTitles(await lookByKafkaSource((await start(script)).ports))).toEqual([
      'critical: the cluster has no controller',
      'critical: a partition has no leader: pay-0',
      'critical: a partition has only one replica in sync: pay-1',
      'warning: a partition has replicas that are not in sync: pay-2',
    ]);
  });

  test('is only read, and asked for no group that is not selected', async () => {
    const { ports, requests } = await start(healthyKafka());
    await lookByKafkaSource(ports, { selector: 'mailer' });
    const asked = requests.map((each) => each.split(' ')[1]);
    expect(new Set(asked)).toEqual(
      new Set(['versions', 'metadata', 'describe', 'offsets', 'ends']),
    );
  });

  test('has a broker that does not answer, and whose groups are then unknown', async () => {
    const script = healthyKafka();
    script.advertised = { 2: { host: '127.0.0.1', port: await closedPort() } };
    const { ports } = await start(script);
    const { issues, measurements } = await lookByKafkaSource(ports, { selector: 'mailer' });
    expect(issues[0]).toMatchObject({
      severity: 'critical',
      symptom: 'unreachable',
      title: `broker 2 does not answer at 127.0.0.1:${script.advertised[2]?.port}: connection refused (ECONNREFUSED)`,
      detail: expect.stringContaining('It leads a partition') as unknown,
    });
    expect(measurements).toMatchObject({
      brokers_silent: 1,
      not_read: ['groups whose coordinator did not answer: mailer'],
    });
  });

  test('has a broker that is silent, for as long as was waited', async () => {
    const script = healthyKafka();
    const silent = await loopback.open(createServer());
    script.advertised = { 2: { host: '127.0.0.1', port: silent } };
    const { ports } = await start(script);
    const attributes = { timeoutMs: 1_000 };
    const { issues } = await lookByKafkaSource(ports, { selector: 'mailer', attributes });
    expect(issues[0]).toMatchObject({
      severity: 'critical',
      symptom: 'unreachable',
      duration_ms: 1_000,
      title: expect.stringContaining('broker 2 does not answer at') as unknown,
    });
  });
});

describe('an endpoint without a source', () => {
  test('is read without a sign-in', async () => {
    const { ports } = await start(healthyKafka());
    const { status, summary } = await lookAtKafka(`127.0.0.1:${ports[0]}`);
    expect([status, summary]).toEqual([
      'ok',
      `127.0.0.1:${ports[0]}: 2 brokers, 2 partitions, all values within their limits`,
    ]);
  });

  test('leads to no host that the topology does not name', async () => {
    const script = healthyKafka();
    script.advertised = { 2: { host: 'localhost', port: 1 } };
    const { ports } = await start(script);
    const { status, measurements } = await lookAtKafka(`127.0.0.1:${ports[0]}`);
    expect(status).toBe('ok');
    expect(measurements).toMatchObject({
      not_read: ['broker 2: the topology names no address of it'],
    });
  });

  test('that nothing listens at is unreachable', async () => {
    expect(await lookAtKafka(`127.0.0.1:${await closedPort()}`)).toMatchObject({
      status: 'failed',
      issues: [{ symptom: 'unreachable' }],
    });
  });

  test('that wants a sign-in leaves the node unchecked', async () => {
    const user = { name: 'a', password: KAFKA_PASSWORD, mechanism: 'PLAIN' };
    const { ports } = await start({ ...healthyKafka(), user });
    await expect(lookAtKafka(`127.0.0.1:${ports[0]}`)).rejects.toMatchObject({
      failure: 'refused',
    });
  });
});

// Without Debian's package `kcat` there are no brokers that another program has written.
if (hasKcat())
  describe('the mock cluster of librdkafka', () => {
    let kafka: KafkaProgram;
    beforeAll(async () => {
      kafka = await startKcat();
    });
    afterAll(() => kafka.stop());

    test('is read, but for its groups, which it does not list', async () => {
      kafka.write('orders', 1, 'one');
      const { status, measurements, issues } = await lookAtKafka(kafka.brokers);
      expect(status).toBe('ok');
      expect(measurements).toMatchObject({
        brokers: 3,
        brokers_silent: 0,
        topics: 1,
        partitions: 4,
        partitions_offline: 0,
        not_read: ['consumer groups: the brokers do not list them'],
      });
      expect(issues).toMatchObject([{ severity: 'info' }]);
    });
  });
