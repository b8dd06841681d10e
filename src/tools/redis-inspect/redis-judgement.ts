import type { Json, JsonObject } from '../../lib/json.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { RedisReading } from './redis-read.js';
import { atMost, round, slowIssue, type CheckedValue } from '../result.js';
import { numberOf, errorsOf, countOf } from './redis-info.js';
import { judgeMemory, showsMemory } from './redis-memory.js';

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
/** Maximum age in seconds of a slow log entry that counts as current. */
const SLOW_LATELY_S = 300;
const MOST_ERRORS = 12;

/** The issues in the figures of a Redis. A function of its arguments. */
export function judgeRedis(reading: RedisReading, thresholds: RedisThresholds): RedisJudgement {
  // Without its state, the memory and the clients are unknown, not zero.
  const ofState =
    reading.info.size === 0
      ? []
      : [
          ...(showsMemory(reading) ? [judgeMemory(reading, thresholds.memoryPercent)] : []),
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

function latency({ pingMs }: RedisReading, { slowMs }: RedisThresholds): RedisJudgement {
  const ping = round(pingMs);
  const issues = slowIssue('answers PING', ping, slowMs, 'PING took');
  return { measurements: { ping_ms: ping }, issues, judged: atMost('ping_ms', ping, slowMs) };
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
            kind: 'connection-pool-exhausted',
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
            kind: 'infrastructure',
            steps: 'replica',
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
      kind: 'volume',
      steps: 'failed-snapshot',
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
      kind: 'disk-full',
      steps: 'failed-snapshot',
      title: 'the last snapshot to disk failed',
      detail,
    });
  }
  if (aofRewrite === 'err') {
    issues.push({
      severity: 'warning',
      symptom: 'advisory',
      kind: 'volume',
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
  // By the server's own clock, which is the only one that matches the entries.
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
