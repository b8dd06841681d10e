import { describe, expect, test } from '@jest/globals';
import type {
  RabbitBroker,
  RabbitQueue,
  RabbitReading,
} from '../../sources/rabbitmq/read-rabbitmq.js';
import { judgeRabbitmq } from './rabbitmq-judgement.js';

const BROKER: RabbitBroker = {
  name: 'rabbit@a',
  running: true,
  mem_used: 10,
  mem_limit: 100,
  fd_used: 1,
  fd_total: 100,
  sockets_used: 1,
  sockets_total: 100,
  partitions: [],
};
const QUEUE: RabbitQueue = {
  name: 'orders',
  vhost: '/',
  state: 'running',
  consumers: 2,
  messages_ready: 3,
  messages_unacknowledged: 0,
};
const READING: RabbitReading = {
  version: '3.10.8',
  answerMs: 5,
  alarms: [],
  failed: [],
  certificates: [],
  brokers: [BROKER],
  queues: [QUEUE],
  queueCount: 1,
  hiddenQueues: 0,
  connectionCount: 4,
  blocked: [],
  requests: 8,
};
const NOW = Date.parse('2026-11-26T07:00:00Z');
const judge = (more: Partial<RabbitReading>) =>
  judgeRabbitmq({ ...READING, ...more }, { queueMessages: 1_000, slowMs: 1_000, now: NOW });
const titles = (more: Partial<RabbitReading>) =>
  judge(more).issues.map(({ severity, title }) => `${severity}: ${title}`);
/** A queue to which so many messages a second came, and that grew by so many. */
const filling = (came: number, growth: number): Partial<RabbitQueue> => ({
  messages_ready: 390,
  messages_unacknowledged: 10,
  messages_details: { avg_rate: growth },
  message_stats: { publish_details: { avg_rate: came } },
});
const queue = (more: Partial<RabbitQueue>) => ({ queues: [{ ...QUEUE, ...more }] });
const broker = (more: Partial<RabbitBroker>) => ({ brokers: [{ ...BROKER, ...more }] });

test('a RabbitMQ that is well has no issue, and values near a limit are named', () => {
  expect(judge({})).toMatchObject({ issues: [], measurements: { memory_percent: 10 } });
  expect(judge(queue({ messages_ready: 950 })).judged).toContainEqual({
    metric: 'queue_messages',
    value: 950,
    most: 1_000,
  });
});

describe('queues', () => {
  test.each<[string, Partial<RabbitQueue>, string[]]>([
    [
      'without a consumer',
      { consumers: 0 },
      ['warning: queue orders holds 3 messages, and has no consumer'],
    ],
    [
      'without a consumer, and many messages',
      { consumers: 0, messages_ready: 1_001, vhost: 'shop' },
      ['critical: queue orders of shop holds 1001 messages, and has no consumer'],
    ],
    ['without a consumer and empty', { consumers: 0, messages_ready: 0 }, []],
    ['that has no statistics yet', { consumers: undefined, messages_ready: undefined }, []],
    [
      'with many messages',
      { messages_ready: 1_001 },
      ['warning: 1001 messages wait in queue orders'],
    ],
    [
      'whose messages are not acknowledged',
      { messages_unacknowledged: 2_000 },
      ['warning: 2000 messages of queue orders are not acknowledged'],
    ],
    [
      'of dead letters',
      { name: 'orders.dlq', consumers: 0, messages_ready: 11 },
      ['warning: queue orders.dlq holds 11 messages that could not be delivered'],
    ],
    ['of a few dead letters', { name: 'orders-dead-letter', consumers: 0 }, []],
    [
      'that fills up below the limit',
      filling(5, 3),
      ['warning: queue orders fills up, and holds 400 messages'],
    ],
    ['of which half of what comes is handled', filling(5, 2.5), []],
    ['that was filled by one burst', filling(7, 6), []],
    ['that gets few messages', filling(0.1, 0.1), []],
    ['that is emptied', filling(5, -3), []],
    ['that is down', { state: 'down' }, ['critical: queue orders is down']],
  ])('%s', (_, more, expected) => expect(titles(queue(more))).toEqual(expected));

  test('that fill up say what came and what was handled', () => {
    expect(judge(queue(filling(5, 3))).issues[0]?.detail).toBe(
      'In the last minute 5 messages a second came, and 2 were handled: its 2 consumers are too slow, too few, or stuck.',
    );
  });

  test('that grow say so', () => {
    const [issue] = judge(queue({ consumers: 0, messages_details: { avg_rate: 12.5 } })).issues;
    expect(issue?.detail).toBe('Nothing reads from it, and it grows by 12.5 messages a second.');
  });
});

describe('brokers', () => {
  test.each<[string, Partial<RabbitBroker>, string[]]>([
    [
      'that does not run',
      { running: false },
      ['critical: broker rabbit@a of the cluster does not run'],
    ],
    [
      'of a partition',
      { partitions: ['rabbit@b'] },
      ['critical: rabbit@a is cut off from rabbit@b'],
    ],
    ['short of memory', { mem_used: 95 }, ['warning: memory of rabbit@a is at 95 % of its limit']],
    ['short of files', { fd_used: 91 }, ['warning: file descriptors of rabbit@a are at 91 %']],
    ['short of sockets', { sockets_used: 91 }, ['warning: sockets of rabbit@a are at 91 %']],
    ['without limits', { mem_limit: 0, fd_total: 0, sockets_total: 0 }, []],
  ])('%s', (_, more, expected) => expect(titles(broker(more))).toEqual(expected));
});

test('an alarm blocks connections that publish', () => {
  const blocked = [{ name: '10.0.0.1:5 -> 10.0.0.2:5672', user: 'shop' }];
  expect(titles({ alarms: [{ node: 'rabbit@a', resource: 'disk' }], blocked })).toEqual([
    'critical: disk alarm of rabbit@a: nothing can be published',
    'critical: a connection may not publish',
  ]);
  expect(titles({ blocked: [...blocked, ...blocked] })).toEqual([
    'warning: 2 connections may not publish',
  ]);
});

test('certificates of listeners that end, or have ended', () => {
  const listener = (endsAt: string, port?: number) => ({ node: 'rabbit@a', port, endsAt });
  const certificates = [
    listener('2026-12-06 7:01:04', 5671),
    listener('2026-11-26 6:59:59', 15671),
    listener(''),
  ];
  expect(titles({ certificates })).toEqual([
    'warning: certificate of port 5671 ends on 2026-12-06',
    'critical: certificate of port 15671 expired on 2026-11-26',
    'warning: certificate of a listener ends within a month',
  ]);
});

test('a health check that fails is named by its reason', () => {
  expect(titles({ failed: ['2 queues would lose their quorum', ''] })).toEqual([
    'warning: 2 queues would lose their quorum',
    'warning: a health check fails',
  ]);
  // Its words choose no kind of failure.
  expect(judge({ failed: ['crash loop, no space left'] }).issues).toMatchObject([
    { kind: 'exception' },
  ]);
});
