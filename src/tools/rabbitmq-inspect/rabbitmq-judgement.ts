import type { JsonObject } from '../../lib/json.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import {
  hiddenQueuesText,
  type RabbitBroker,
  type RabbitQueue,
  type RabbitReading,
} from '../../sources/rabbitmq/read-rabbitmq.js';
import { atMost, type CheckedValue, round, showBytes, slowIssue } from '../result.js';

export interface RabbitThresholds {
  /** Messages that a queue may hold, waiting or not acknowledged. */
  queueMessages: number;
  slowMs: number;
  /** ms since 1970 */
  now: number;
}

const FULL_PERCENT = 90;
/** Messages of a queue for undeliverable messages. */
const DEAD_LETTERS = 10;
const DEAD = /(?:^|[._-])(?:dlq|dlx|dead[._-]?letters?)(?:$|[._-])/i;
const SHOWN = 5;

const ready = (queue: RabbitQueue): number => queue.messages_ready ?? 0;
const unacked = (queue: RabbitQueue): number => queue.messages_unacknowledged ?? 0;
const published = (queue: RabbitQueue): number =>
  queue.message_stats?.publish_details?.avg_rate ?? 0;
const grown = (queue: RabbitQueue): number => queue.messages_details?.avg_rate ?? 0;
const percentOf = (used: number, most: number): number =>
  most === 0 ? 0 : round((100 * used) / most);

/**
 * The issues in the state of a RabbitMQ. Limits: awesome-prometheus-alerts (CC BY 4.0), and the
 * documentation of RabbitMQ: an alarm blocks all publishing connections.
 */
export function judgeRabbitmq(
  reading: RabbitReading,
  { queueMessages, slowMs, now }: RabbitThresholds,
): { measurements: JsonObject; issues: Issue[]; judged: CheckedValue[]; hidden?: string } {
  const { alarms, brokers, queues, blocked, failed, answerMs, hiddenQueues } = reading;
  const hidden =
    hiddenQueues === 0 ? undefined : hiddenQueuesText(hiddenQueues, reading.queueCount);
  const issues = [
    ...alarms.map(alarmIssue),
    ...brokers.flatMap(brokerIssues),
    ...failed.map(failedIssue),
    ...reading.certificates.map((each) => certificateIssue(each, now)),
    ...blockedIssues(blocked, alarms.length > 0),
    ...queues.flatMap((queue) => queueIssues(queue, queueMessages)),
    ...slowIssue('answers', answerMs, slowMs, 'The first request took'),
    ...(hidden === undefined ? [] : [partIssue(hidden)]),
  ];
  const sum = (of: (queue: RabbitQueue) => number) =>
    queues.reduce((total, queue) => total + of(queue), 0);
  const memory = Math.max(
    0,
    ...brokers.map(({ mem_used, mem_limit }) => percentOf(mem_used, mem_limit)),
  );
  const largest = Math.max(0, ...queues.filter((queue) => !DEAD.test(queue.name)).map(ready));
  return {
    measurements: {
      version: reading.version,
      answer_ms: round(answerMs),
      brokers: brokers.length,
      memory_percent: memory,
      alarms: alarms.map(({ node, resource }) => ({ node, resource })),
      queues: reading.queueCount,
      connections: reading.connectionCount,
      messages_ready: sum(ready),
      messages_unacknowledged: sum(unacked),
      largest: queues.slice(0, SHOWN).map((queue) => ({
        name: queue.name,
        vhost: queue.vhost,
        consumers: queue.consumers ?? 0,
        ready: ready(queue),
        unacknowledged: unacked(queue),
        published_per_s: round(published(queue)),
        growth_per_s: round(grown(queue)),
      })),
      ...(reading.queueCount > queues.length && {
        queues_left_off: reading.queueCount - queues.length,
      }),
      requests: reading.requests,
    },
    issues,
    judged: [
      ...atMost('memory_percent', memory, FULL_PERCENT),
      ...atMost('queue_messages', largest, queueMessages),
    ],
    ...(hidden !== undefined && { hidden }),
  };
}

const partIssue = (hidden: string): Issue => ({
  severity: 'info',
  symptom: 'advisory',
  title: 'may be looked into only in part',
  detail: hidden,
});

const alarmIssue = ({ node, resource }: RabbitReading['alarms'][number]): Issue => ({
  severity: 'critical',
  symptom: 'saturated',
  kind: resource === 'disk' ? 'disk-full' : resource === 'memory' ? 'out-of-memory' : 'capacity',
  title: `${resource} alarm of ${node}: nothing can be published`,
  detail: `Connections that publish are blocked in the whole cluster until ${node} has enough ${resource} again.`,
});

function brokerIssues(broker: RabbitBroker): Issue[] {
  const { name, running, partitions, mem_used, mem_limit } = broker;
  if (!running)
    return [
      {
        severity: 'critical',
        symptom: 'unreachable',
        title: `broker ${name} of the cluster does not run`,
        detail: 'The others know it, and do not reach it.',
      },
    ];
  const full = (what: string, used: number, most: number, detail: string): Issue[] =>
    percentOf(used, most) <= FULL_PERCENT
      ? []
      : [
          {
            severity: 'warning',
            symptom: 'saturated',
            kind: 'capacity',
            title: `${what} of ${name} are at ${percentOf(used, most)} %`,
            detail,
          },
        ];
  return [
    ...(partitions.length === 0
      ? []
      : [
          {
            severity: 'critical' as const,
            symptom: 'erroring' as const,
            kind: 'queue-partition' as const,
            title: `${name} is cut off from ${partitions.slice(0, 3).join(', ')}`,
            detail: 'The cluster is partitioned: its parts accept different messages.',
          },
        ]),
    ...(percentOf(mem_used, mem_limit) <= FULL_PERCENT
      ? []
      : [
          {
            severity: 'warning' as const,
            symptom: 'saturated' as const,
            kind: 'out-of-memory' as const,
            title: `memory of ${name} is at ${percentOf(mem_used, mem_limit)} % of its limit`,
            detail: `${showBytes(mem_used)} of ${showBytes(mem_limit)}; at the limit publishers are blocked.`,
          },
        ]),
    ...full(
      'file descriptors',
      broker.fd_used,
      broker.fd_total,
      `${broker.fd_used} of ${broker.fd_total} are open.`,
    ),
    ...full(
      'sockets',
      broker.sockets_used,
      broker.sockets_total,
      `${broker.sockets_used} of ${broker.sockets_total} are open: further connections are refused.`,
    ),
  ];
}

const failedIssue = (reason: string): Issue => ({
  severity: 'warning',
  symptom: 'erroring',
  kind: 'exception',
  title: reason === '' ? 'a health check fails' : reason.slice(0, 160),
  detail: `A health check of RabbitMQ fails: ${reason || 'it gives no reason'}.`,
});

function certificateIssue(
  { node, port, endsAt }: RabbitReading['certificates'][number],
  now: number,
): Issue {
  const isOver = Date.parse(`${endsAt} UTC`) <= now;
  const day = endsAt.split(' ')[0];
  return {
    ...(isOver
      ? { severity: 'critical', symptom: 'invalid' }
      : { severity: 'warning', symptom: 'advisory' }),
    kind: 'certificate-expired',
    title: `certificate of ${port === undefined ? 'a listener' : `port ${port}`} ${isOver ? 'expired' : 'ends'} ${day ? `on ${day}` : 'within a month'}`,
    detail: `The listener is of ${node}; the certificate is its own or that of its authority.`,
  };
}

function blockedIssues(blocked: RabbitReading['blocked'], isAlarm: boolean): Issue[] {
  if (blocked.length === 0) return [];
  const names = blocked.slice(0, 3).map(({ name, user }) => `${user} ${name}`);
  return [
    {
      severity: isAlarm ? 'critical' : 'warning',
      symptom: 'saturated',
      kind: 'capacity',
      title:
        blocked.length === 1
          ? 'a connection may not publish'
          : `${blocked.length} connections may not publish`,
      detail: `Blocked are: ${names.join('; ')}${blocked.length > 3 ? ', and others' : ''}.`,
    },
  ];
}

function queueIssues(queue: RabbitQueue, most: number): Issue[] {
  const waiting = ready(queue);
  const open = unacked(queue);
  const name = `queue ${queue.name}${queue.vhost === '/' ? '' : ` of ${queue.vhost}`}`;
  if (queue.state === 'down' || queue.state === 'stopped' || queue.state === 'crashed')
    return [
      {
        severity: 'critical',
        symptom: 'erroring',
        title: `${name} is ${queue.state}`,
        detail: 'Nothing can be published to it or read from it.',
      },
    ];
  if (DEAD.test(queue.name))
    return waiting <= DEAD_LETTERS
      ? []
      : [
          {
            severity: 'warning',
            symptom: 'erroring',
            title: `${name} holds ${waiting} messages that could not be delivered`,
            detail: `Expected at most ${DEAD_LETTERS}: consumers reject messages, or leave them until they expire.`,
          },
        ];
  if (queue.consumers === 0 && waiting > 0)
    return [
      {
        severity: waiting > most ? 'critical' : 'warning',
        symptom: 'saturated',
        kind: 'queue-lag',
        title: `${name} holds ${messages(waiting)}, and has no consumer`,
        detail: `Nothing reads from it${growth(queue)}.`,
      },
    ];
  if (waiting <= most && open <= most)
    return fillsUp(queue)
      ? [
          {
            severity: 'warning',
            symptom: 'saturated',
            kind: 'queue-lag',
            title: `${name} fills up, and holds ${messages(waiting + open)}`,
            detail: `In the last minute ${round(published(queue))} messages a second came, and ${round(published(queue) - grown(queue))} were handled: its ${queue.consumers ?? 0} consumers are too slow, too few, or stuck.`,
          },
        ]
      : [];
  return [
    {
      severity: 'warning',
      symptom: 'saturated',
      kind: 'queue-lag',
      title:
        waiting > most
          ? `${waiting} messages wait in ${name}`
          : `${open} messages of ${name} are not acknowledged`,
      detail: `Expected at most ${most}; it has ${queue.consumers ?? 0} consumers${growth(queue)}.`,
    },
  ];
}

const messages = (number: number): string => (number === 1 ? 'one message' : `${number} messages`);

/** With fewer messages in a minute, a pace cannot be judged. */
const LEAST_CAME = 10;

/**
 * Whether less than half of the messages of the last minute were handled, while there were messages
 * before: not by one burst.
 */
function fillsUp(queue: RabbitQueue): boolean {
  const came = 60 * published(queue);
  const isSlow = came >= LEAST_CAME && 60 * grown(queue) > came / 2;
  return isSlow && ready(queue) + unacked(queue) > came;
}

const growth = (queue: RabbitQueue): string =>
  round(grown(queue)) > 0 ? `, and it grows by ${round(grown(queue))} messages a second` : '';
