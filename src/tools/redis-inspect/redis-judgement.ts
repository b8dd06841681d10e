import type { Json, JsonObject } from '../../lib/json.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { RedisReading } from './redis-read.js';
import { atMost, round, showBytes, slowIssue, type CheckedValue } from '../result.js';

export interface RedisThresholds {
  memoryPercent: number;
  slowMs: number;
}

export interface RedisJudgement {
  measurements: JsonObject;
  issues: Issue[];
  judged: CheckedValue[];
}

const CLIENTS_PERCENT = 90;
/** At most this old counts as slow now, in seconds. */
const SLOW_LATELY_S = 300;
/** Memory swings by the buffers of a few clients: this close to the limit it is full. */
const FULL_PERCENT = 99;
/**
 * And this close if writes have been refused, since a large one is refused before the last byte is
 * used.
 */
const FULL_AFTER_OOM_PERCENT = 95;
const MOST_ERRORS = 12;

/** What the numbers of a Redis mean. A function of its arguments. */
export function judgeRedis(reading: RedisReading, thresholds: RedisThresholds): RedisJudgement {
  // Without its state there is no memory of 0 bytes, and there are no 0 clients: nothing is known
  // of them.
  const ofState =
    reading.info.size === 0
      ? []
      : [
          ...(showsMemory(reading) ? [memory(reading, thresholds)] : []),
          clients(reading),
          replication(reading),
          persistence(reading),
        ];
  const parts = [latency(reading, thresholds), ...ofState, slowlog(reading, thresholds)];
  const text = (field: string): Json => reading.info.get(field) ?? null;
  return {
    measurements: {
      version: text('redis_version'),
      uptime_s: numberOf(reading, 'uptime_in_seconds'),
      ...Object.fromEntries(parts.flatMap(({ measurements }) => Object.entries(measurements))),
      errors: Object.fromEntries(errorsOf(reading.info).slice(0, MOST_ERRORS)),
    },
    issues: parts.flatMap(({ issues }) => issues),
    judged: parts.flatMap(({ judged }) => judged),
  };
}

/**
 * Whether INFO has the memory that every Redis reports, as counts of bytes: without it the state of
 * the Redis is not known.
 */
export function showsMemory({ info }: Pick<RedisReading, 'info'>): boolean {
  // The limit is a field of INFO since Redis 4.
  const counts = [info.get('used_memory') ?? '', info.get('maxmemory') ?? '0'];
  return counts.every((count) => /^\d{1,16}$/.test(count));
}

function latency({ pingMs }: RedisReading, { slowMs }: RedisThresholds): RedisJudgement {
  const ping = round(pingMs);
  const issues = slowIssue('answers PING', ping, slowMs, 'PING took');
  return { measurements: { ping_ms: ping }, issues, judged: atMost('ping_ms', ping, slowMs) };
}

/**
 * Redis refuses writes (`OOM`) when the memory that counts passes `maxmemory` and its policy finds
 * nothing to evict. OOM errors are counted since the start: alone they say nothing about now, so
 * they matter only as they rise or where memory is still short.
 */
function memory(
  reading: RedisReading,
  { memoryPercent: threshold }: RedisThresholds,
): RedisJudgement {
  const used = numberOf(reading, 'used_memory') ?? 0;
  const counted = used - (numberOf(reading, 'mem_not_counted_for_evict') ?? 0);
  const maxmemory = numberOf(reading, 'maxmemory') ?? 0;
  const policy = reading.info.get('maxmemory_policy') ?? 'unknown';
  const oom = countOf(reading.info, 'OOM');
  const rise = reading.errorsLater ? Math.max(0, countOf(reading.errorsLater, 'OOM') - oom) : 0;
  const percent = maxmemory > 0 ? round((counted / maxmemory) * 100) : null;
  const measurements = {
    used_memory_bytes: used,
    maxmemory_bytes: maxmemory,
    memory_percent: percent,
    maxmemory_policy: policy,
    evicted_keys: numberOf(reading, 'evicted_keys'),
    fragmentation_ratio: numberOf(reading, 'mem_fragmentation_ratio'),
    oom_errors: oom,
    oom_errors_increase: rise,
  };
  const level =
    percent === null
      ? `${showBytes(used)} used, no maxmemory`
      : `${showBytes(counted)} of ${showBytes(maxmemory)} used (${percent} %)`;
  const counts = `${oom} writes refused for lack of memory (OOM) since the start, ${rise} of them just now`;
  const full =
    policy === 'noeviction' &&
    percent !== null &&
    (percent >= FULL_PERCENT || (oom > 0 && percent >= FULL_AFTER_OOM_PERCENT));
  if (full || rise > 0) {
    const title =
      percent === null
        ? 'refuses writes for lack of memory (OOM)'
        : `refuses writes because its memory is full (${percent} % of maxmemory, ${policy})`;
    return {
      measurements,
      issues: [
        {
          severity: 'critical',
          symptom: 'saturated',
          title,
          detail: `${level}, policy ${policy}; ${counts}. Expected at most ${threshold} %.`,
        },
      ],
      judged: percent === null ? [] : atMost('memory_percent', percent, threshold),
    };
  }
  const system = numberOf(reading, 'total_system_memory') ?? 0;
  const share = percent ?? (system > 0 ? round((used / system) * 100) : 0);
  // A cache that evicts any key is meant to be full.
  if (percent !== null && policy.startsWith('allkeys-'))
    return { measurements, issues: [], judged: [] };
  if (share <= threshold)
    return { measurements, issues: [], judged: atMost('memory_percent', share, threshold) };
  const title =
    percent === null
      ? `uses ${share} % of the machine's memory`
      : `memory at ${percent} % of maxmemory (${policy})`;
  return {
    measurements,
    issues: [
      {
        severity: 'warning',
        symptom: 'advisory',
        title,
        detail: `${level}, policy ${policy}; ${counts}. Expected at most ${threshold} %.`,
      },
    ],
    judged: atMost('memory_percent', share, threshold),
  };
}

function clients(reading: RedisReading): RedisJudgement {
  const connected = numberOf(reading, 'connected_clients') ?? 0;
  const most = numberOf(reading, 'maxclients'); // Since Redis 7.
  const percent = most ? round((connected / most) * 100) : null;
  const issues: Issue[] =
    percent !== null && percent > CLIENTS_PERCENT
      ? [
          {
            severity: 'warning',
            symptom: 'advisory',
            title: `${connected} of ${most} client connections in use`,
            detail: `${percent} % of maxclients; expected at most ${CLIENTS_PERCENT} %. From 100 % on new clients are refused.`,
          },
        ]
      : [];
  const measurements = {
    connected_clients: connected,
    maxclients: most,
    blocked_clients: numberOf(reading, 'blocked_clients'),
    rejected_connections: numberOf(reading, 'rejected_connections'),
  };
  return {
    measurements,
    issues,
    judged: percent === null ? [] : atMost('clients_percent', percent, CLIENTS_PERCENT),
  };
}

function replication(reading: RedisReading): RedisJudgement {
  const role = reading.info.get('role') ?? null;
  const link = reading.info.get('master_link_status') ?? null;
  const master = `${reading.info.get('master_host')}:${reading.info.get('master_port')}`;
  // -1: it was never up since the replica began.
  const downFor = numberOf(reading, 'master_link_down_since_seconds') ?? -1;
  const since = downFor < 0 ? '' : ` for ${downFor} s`;
  const issues: Issue[] =
    link === null || link === 'up'
      ? []
      : [
          {
            severity: 'critical',
            symptom: 'erroring',
            title: 'replication is broken: the link to the master is down',
            detail: `Master ${master.slice(0, 120)}, link ${link}${since}; expected up. Its data is stale.`,
          },
        ];
  return {
    measurements: {
      role,
      connected_replicas: numberOf(reading, 'connected_slaves'),
      ...(link !== null && { master_link_status: link, master: master.slice(0, 120) }),
    },
    issues,
    judged: [],
  };
}

function persistence(reading: RedisReading): RedisJudgement {
  const field = (name: string) => reading.info.get(name) ?? null;
  const rdb = field('rdb_last_bgsave_status');
  const aofWrite = field('aof_last_write_status');
  const aofRewrite = field('aof_last_bgrewrite_status');
  const issues: Issue[] = [];
  if (aofWrite === 'err') {
    issues.push({
      severity: 'critical',
      symptom: 'erroring',
      title: 'cannot write its append-only file: refuses writes',
      detail: 'aof_last_write_status is err; expected ok. Look at disk space and permissions.',
    });
  }
  if (rdb === 'err') {
    const refused = countOf(reading.info, 'MISCONF');
    const detail = `rdb_last_bgsave_status is err; expected ok. ${refused} writes refused for it (MISCONF) since the start. Look at disk space, permissions and memory for the fork.`;
    issues.push({
      severity: refused > 0 ? 'critical' : 'warning',
      symptom: refused > 0 ? 'erroring' : 'advisory',
      title: 'the last snapshot to disk failed',
      detail,
    });
  }
  if (aofRewrite === 'err') {
    issues.push({
      severity: 'warning',
      symptom: 'advisory',
      title: 'the last rewrite of the append-only file failed',
      detail: 'aof_last_bgrewrite_status is err; expected ok.',
    });
  }
  const measurements = {
    rdb_last_bgsave_status: rdb,
    aof_enabled: field('aof_enabled') === '1',
    aof_last_write_status: aofWrite,
    aof_last_bgrewrite_status: aofRewrite,
  };
  return { measurements, issues, judged: [] };
}

function slowlog(
  { slowlog: log, info }: RedisReading,
  { slowMs }: RedisThresholds,
): RedisJudgement {
  if (!log) return { measurements: { slowlog_length: null }, issues: [], judged: [] };
  const slowest = [...log.latest].sort((a, b) => b.durationMs - a.durationMs)[0];
  // By the server's own clock, which is the only one that fits the entries.
  const now = Number(info.get('server_time_usec') ?? NaN) / 1_000_000;
  const aged = log.latest.map((entry) => ({
    ...entry,
    age: Number.isNaN(now) ? null : Math.round(now - entry.at),
  }));
  const lately = aged.filter(
    ({ age, durationMs }) => durationMs > slowMs && age !== null && age <= SLOW_LATELY_S,
  );
  const [worst] = lately.sort((a, b) => b.durationMs - a.durationMs);
  const issues: Issue[] = worst
    ? [
        {
          severity: 'warning',
          symptom: 'slow',
          kind: 'slow-query',
          took_ms: worst.durationMs,
          title: `${worst.command} took ${Math.round(worst.durationMs)} ms`,
          detail: `${lately.length} commands of the last ${SLOW_LATELY_S} s took more than ${slowMs} ms; all others waited meanwhile.`,
        },
      ]
    : [];
  const latest = aged.slice(0, 5).map(({ command, durationMs, age }) => ({
    command,
    duration_ms: round(durationMs),
    age_s: age,
  }));
  return {
    measurements: {
      slowlog_length: log.length,
      slowlog_slowest_ms: slowest ? round(slowest.durationMs) : null,
      slowlog_latest: latest,
    },
    issues,
    judged: [],
  };
}

function numberOf({ info }: RedisReading, field: string): number | null {
  const value = Number(info.get(field) ?? NaN);
  return Number.isFinite(value) ? value : null;
}

/** `errorstat_OOM:count=3` → 3 */
const countOf = (info: ReadonlyMap<string, string>, error: string) =>
  Number(/count=(\d+)/.exec(info.get(`errorstat_${error}`) ?? '')?.[1] ?? 0);

/** Errors counted since the start by their first word, most frequent first. */
function errorsOf(info: ReadonlyMap<string, string>): [string, number][] {
  const names = [...info.keys()]
    .filter((key) => key.startsWith('errorstat_'))
    .map((key) => key.slice('errorstat_'.length));
  return names
    .map((name): [string, number] => [name.slice(0, 40), countOf(info, name)])
    .sort(([, a], [, b]) => b - a);
}
