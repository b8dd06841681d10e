import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { hasKcat, type KafkaProgram, startKcat } from '../../../test/support/kafka-program.js';
import { healthyKafka } from '../../../test/support/healthy-kafka.js';
import {
  KAFKA_PASSWORD,
  lookAtKafka,
  lookByKafkaSource,
} from '../../../test/support/look-at-kafka.js';
import { closedPort, Loopback, nodeOf } from '../../../test/support/loopback.js';
import {
  type KafkaScript,
  scriptedKafka,
  type ScriptedKafka,
} from '../../../test/support/scripted-kafka.js';
import { kafkaInspect } from './kafka-inspect.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const start = (script: KafkaScript): Promise<ScriptedKafka> => scriptedKafka(loopback, script);
const titles = ({ issues }: { issues: { severity: string; title: string }[] }) =>
  issues.map(({ severity, title }) => `${severity}: ${title}`);

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
    expect(measurements).toMatchObject({ farthest: [{ name: 'mailer', lag: 0 }] });
  });

  test('that knows no version of this client says which it has', async () => {
    const { ports } = await start({ ...healthyKafka(), versions: { 3: [7, 13], 18: [0, 4] } });
    await expect(lookByKafkaSource(ports)).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining(
        'request 3 is needed in a version from 1 to 5, and it has 7 to 13',
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
    expect(titles(await lookByKafkaSource((await start(script)).ports))).toEqual([
      'critical: the cluster has no controller',
      'critical: a partition has no leader: pay-0',
      'critical: a partition has only one replica in sync: pay-1',
      'warning: a partition has replicas that are not in sync: pay-2',
    ]);
  });

  test('with groups that are behind, without a consumer and rebalancing', async () => {
    const script = healthyKafka();
    const offsets = { 'orders-0': 40, 'orders-1': 150 };
    script.groups = {
      far: { at: 1, state: 'Stable', members: 3, offsets },
      empty: { at: 2, state: 'Empty', offsets: { 'orders-0': 99 } },
      moving: { at: 2, state: 'PreparingRebalance', members: 2, offsets },
      ahead: { at: 1, state: 'Stable', offsets: { 'orders-0': 500 } },
    };
    const { ports } = await start(script);
    const attributes = { groupLag: 50, intervalMs: 100 };
    const all = await lookByKafkaSource(ports, { attributes });
    expect(titles(all)).toEqual([
      'warning: group far is 110 messages behind',
      'warning: group moving is rebalancing, and is 110 messages behind',
      'info: group empty has no consumer, and is 1 messages behind',
    ]);
    expect(all.issues[0]).toMatchObject({
      symptom: 'saturated',
      kind: 'queue-lag',
      detail:
        'Expected at most 50; it has 3 members; most of it, 60, in orders-0. Between two looks it did not change: nothing is read, or as much as comes.',
    });
    expect(titles(await lookByKafkaSource(ports, { attributes, selector: 'empty,ahead' }))).toEqual(
      ['warning: group empty has no consumer, and is 1 messages behind'],
    );
  });

  test.each([
    ['falls back', 1_000, /It falls back by \d+ messages a second: its consumers are too slow/],
    ['catches up', -50, /It catches up by \d+ messages a second, and is done in about 1 min/],
  ])('has a group that %s, by a second look at that group alone', async (_, more, expected) => {
    const script = healthyKafka();
    const offsets = { 'orders-0': 40, 'orders-1': 100 };
    script.groups['far'] = { at: 1, state: 'Stable', members: 3, offsets };
    let ends = 0;
    // The second answer about the ends of partitions of broker 2 is the last of the first look.
    script.change = (answer, { broker, key }) => {
      if (key === 2 && broker === 2 && (ends += 1) === 1) {
        const [, second] = script.topics['orders'] ?? [];
        if (second) second.end += more;
      }
      return answer;
    };
    const { ports, requests } = await start(script);
    const attributes = { groupLag: 50, intervalMs: 100 };
    const { issues, measurements } = await lookByKafkaSource(ports, { attributes });
    expect(issues[0]?.title).toBe('group far is 160 messages behind');
    expect(issues[0]?.detail).toMatch(expected);
    const [far] = measurements['farthest'] as { growth_per_s: number }[];
    expect(Math.sign(far?.growth_per_s ?? 0)).toBe(Math.sign(more));
    expect(requests.filter((each) => each.includes('offsets'))).toHaveLength(3);
  });

  test('has a group that falls back below its limit, by a second look', async () => {
    const script = healthyKafka();
    const [, second] = script.topics['orders'] ?? [];
    if (second) second.end = 9_200;
    let ends = 0;
    script.change = (answer, { broker, key }) => {
      if (key === 2 && broker === 2 && (ends += 1) === 1 && second) second.end += 10;
      return answer;
    };
    const { ports } = await start(script);
    const { status, issues } = await lookByKafkaSource(ports, { attributes: { intervalMs: 100 } });
    expect([status, issues[0]?.title]).toEqual([
      'degraded',
      'group mailer falls back, and is 9000 messages behind',
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

  test('shows groups that it refuses to describe as unread, beside the others', async () => {
    const script = healthyKafka();
    script.groups['secret'] = { at: 1, state: 'Stable', error: 30, offsets: { 'orders-0': 1 } };
    const { issues, measurements, hidden } = await lookByKafkaSource((await start(script)).ports);
    expect(issues).toMatchObject([
      { severity: 'info', title: expect.stringContaining('may not see the offsets') as unknown },
    ]);
    expect(measurements).toMatchObject({ groups: 1 });
    expect(hidden).toMatch(/^A right is missing \(DESCRIBE\): the user may not see the offsets/);
  });

  test('that does not know a group which the node names says so', async () => {
    const { ports } = await start(healthyKafka());
    const { issues, status } = await lookByKafkaSource(ports, { selector: 'mailer,absent' });
    expect([status, issues]).toEqual([
      'degraded',
      [
        expect.objectContaining({
          severity: 'warning',
          symptom: 'invalid',
          kind: 'config',
          title: 'group absent does not exist, or has never read',
        }),
      ],
    ]);
  });

  test('of which the state of a group is not known takes no group for dead', async () => {
    const script = healthyKafka();
    script.groups['mailer'] = { at: 2, state: 'Dead', offsets: { 'orders-0': 1 } };
    const { measurements, issues } = await lookByKafkaSource((await start(script)).ports);
    expect(measurements).toMatchObject({ farthest: [{ name: 'mailer', state: null, lag: 99 }] });
    expect(issues).toEqual([]);
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
