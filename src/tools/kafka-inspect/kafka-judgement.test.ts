import { expect, test } from '@jest/globals';
import type { KafkaGroup } from '../../sources/kafka/read-kafka.js';
import { judgeKafka } from './kafka-judgement.js';
import { mayFallBack } from './group-lag.js';

const GROUP: KafkaGroup = {
  id: 'mailer',
  state: 'Stable',
  members: 2,
  lag: 700,
  position: 5_000,
  partitions: 1,
  unknown: 0,
  worst: { topic: 'orders', index: 0, lag: 700 },
};

/**
 * What a second look at a group after six seconds says: so many messages came, and so many were
 * read.
 */
const judge = (came: number, read: number, more: Partial<KafkaGroup> = {}) => {
  const group = { ...GROUP, ...more };
  const then = { lag: group.lag + came - read, position: group.position + read };
  return judgeKafka(
    {
      brokers: [],
      partitions: [],
      silent: [],
      unread: [],
      refused: [],
      topics: 1,
      controller: 1,
      connections: 1,
      answerMs: 5,
      areNamed: false,
      groups: [group],
      later: { seconds: 6, groups: new Map([['mailer', then]]) },
    },
    { groupLag: 10_000, slowMs: 1_000 },
    (text) => text,
  ).issues;
};

test('a group below its limit that falls back is a warning, with what came and was read', () => {
  expect(judge(60, 0)).toEqual([
    {
      severity: 'warning',
      symptom: 'saturated',
      kind: 'queue-lag',
      title: 'group mailer falls back, and is 700 messages behind',
      detail:
        'While it was looked at, 60 messages came and it read 0: its consumers are too slow, too few, or stuck. As much as it is behind comes in 1 min; most of it, 700, in orders-0.',
    },
  ]);
  expect(judge(60, 29)).toHaveLength(1);
});

test.each<[string, number, number, Partial<KafkaGroup>]>([
  ['reads half of what comes, as by the time of its commits', 60, 30, {}],
  ['catches up', 60, 90, {}],
  ['has nothing to read', 0, 0, {}],
  ['gets too few messages to say', 9, 0, {}],
  ['is as far behind as consumers that commit seldom', 60, 0, { lag: 600 }],
])('a group that %s has no issue', (_, came, read, more) => {
  expect(judge(came, read, more)).toEqual([]);
});

test('a second look is for groups with consumers that are far enough behind', () => {
  expect(
    [{}, { lag: 99 }, { state: 'Empty' }].map((more) => mayFallBack({ ...GROUP, ...more })),
  ).toEqual([true, false, false]);
});

test('the silence of a broker rests on how long was waited for it', () => {
  const silent = (waitedMs?: number) => {
    const why = waitedMs === undefined ? 'connection refused (ECONNREFUSED)' : 'no answer in time';
    const broker = { id: 2, address: 'kafka-2:9092', why, ...(waitedMs && { waitedMs }) };
    const [issue] = judgeKafka(
      {
        brokers: [],
        partitions: [],
        silent: [broker],
        unread: [],
        refused: [],
        topics: 1,
        controller: 1,
        connections: 1,
        answerMs: 5,
        areNamed: false,
        groups: [],
      },
      { groupLag: 10_000, slowMs: 1_000 },
      (text) => text,
    ).issues;
    return issue;
  };
  expect(silent(2_000)).toMatchObject({ symptom: 'unreachable', duration_ms: 2_000 });
  expect(silent()).not.toHaveProperty('duration_ms');
});
