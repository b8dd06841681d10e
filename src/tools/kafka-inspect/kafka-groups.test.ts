import { afterEach, describe, expect, test } from '@jest/globals';
import { healthyKafka } from '../../../test/support/programs/healthy-kafka.js';
import { issueTitles, lookByKafkaSource } from '../../../test/support/sources/look-at-kafka.js';
import { Loopback } from '../../../test/support/loopback.js';
import { scriptedKafka, type KafkaScript } from '../../../test/support/sources/scripted-kafka.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const start = (script: KafkaScript) => scriptedKafka(loopback, script);

describe('a cluster', () => {
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
    expect(issueTitles(all)).toEqual([
      'warning: group far is 110 messages behind',
      'warning: group moving is rebalancing, and is 110 messages behind',
      'info: group empty has no consumer, and is 1 messages behind',
    ]);
    expect(all.issues[0]).toMatchObject({
      symptom: 'saturated',
      kind: 'queue-lag',
      detail:
        'Expected at most 50; it has 3 members; most of it, 60, in orders-0. Between two readings it did not change: nothing is read, or as much as arrives.',
    });
    expect(
      issueTitles(await lookByKafkaSource(ports, { attributes, selector: 'empty,ahead' })),
    ).toEqual(['warning: group empty has no consumer, and is 1 messages behind']);
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
