import { describe, expect, test } from '@jest/globals';
import { judgeRedis } from './redis-judgement.js';
import { parseInfo } from './redis-read.js';

describe('judgement', () => {
  const judge = (info: string, errorsLater?: string) =>
    judgeRedis(
      {
        pingMs: 1,
        info: parseInfo(info),
        ...(errorsLater !== undefined && { errorsLater: parseInfo(errorsLater) }),
      },
      { memoryPercent: 90, slowMs: 1000 },
    );

  test.each([
    ['used_memory:120\nmaxmemory:100\nmaxmemory_policy:noeviction', 'out-of-memory'],
    ['used_memory:95\nmaxmemory:100\nmaxmemory_policy:volatile-ttl', 'out-of-memory'],
    ['used_memory:95\ntotal_system_memory:100', 'memory'],
    ['connected_clients:95\nmaxclients:100', 'connection-pool-exhausted'],
    ['master_link_status:down', 'infrastructure'],
    ['aof_last_write_status:err', 'volume'],
    ['aof_last_bgrewrite_status:err', 'volume'],
    ['rdb_last_bgsave_status:err', 'disk-full'],
  ])('of %j names the kind %s', (info, kind) => {
    const all = info.includes('used_memory') ? info : `used_memory:1\nmaxmemory:0\n${info}`;
    expect(judge(all).issues.map((issue) => issue.kind)).toEqual([kind]);
  });

  test('a cache that evicts is meant to be full', () => {
    expect(judge('used_memory:100\nmaxmemory:100\nmaxmemory_policy:allkeys-lru').issues).toEqual(
      [],
    );
    expect(
      judge('used_memory:95\nmaxmemory:100\nmaxmemory_policy:volatile-ttl').issues,
    ).toMatchObject([{ severity: 'warning', symptom: 'advisory' }]);
  });
  test('a rise of refused writes counts under any policy', () => {
    expect(
      judge(
        'used_memory:90\nmaxmemory:100\nmaxmemory_policy:volatile-lru\nerrorstat_OOM:count=3',
        'errorstat_OOM:count=9',
      ),
    ).toMatchObject({
      measurements: { oom_errors: 9, oom_errors_increase: 6 },
      issues: [
        {
          severity: 'critical',
          symptom: 'saturated',
          detail: expect.stringContaining(
            '9 writes refused for lack of memory (OOM) since the start, 6 of them just now.',
          ),
        },
      ],
    });
  });
  test('buffers of replicas do not count against the limit', () => {
    expect(
      judge(
        'used_memory:120\nmem_not_counted_for_evict:40\nmaxmemory:100\nmaxmemory_policy:noeviction',
      ).issues,
    ).toEqual([]);
  });
  test('near the limit', () => {
    expect(
      judge('used_memory:85\nmaxmemory:100\nmaxmemory_policy:noeviction').judged,
    ).toContainEqual({
      metric: 'memory_percent',
      value: 85,
      most: 90,
    });
  });
  test('a replica without its master', () => {
    const { issues, measurements } = judge(
      'role:slave\nmaster_host:10.0.0.1\nmaster_port:6379\nmaster_link_status:down\nmaster_link_down_since_seconds:7',
    );
    expect(issues).toMatchObject([{ severity: 'critical', symptom: 'erroring' }]);
    expect(issues[0]?.detail).toContain('link down for 7 s;');
    expect(measurements).toMatchObject({ role: 'slave', master: '10.0.0.1:6379' });
  });
  test('a replica whose link was never up', () => {
    const link = 'role:slave\nmaster_link_status:down\nmaster_link_down_since_seconds:-1';
    expect(judge(link).issues[0]?.detail).toContain('link down; expected up.');
  });
  test('disk failures', () => {
    expect(judge('aof_last_write_status:err').issues).toMatchObject([
      { severity: 'critical', symptom: 'erroring' },
    ]);
    expect(judge('rdb_last_bgsave_status:err').issues).toMatchObject([{ severity: 'warning' }]);
    expect(judge('rdb_last_bgsave_status:err\nerrorstat_MISCONF:count=2').issues).toMatchObject([
      { severity: 'critical' },
    ]);
  });
  test('many clients', () => {
    expect(judge('connected_clients:95\nmaxclients:100').issues).toMatchObject([
      { severity: 'warning', symptom: 'advisory' },
    ]);
  });
});
