import type { RedisReading } from './redis-read.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { JsonObject } from '../../lib/json.js';
import { atMost, type CheckedValue, round, showBytes } from '../result.js';
import { numberOf, countOf } from './redis-info.js';

/** Memory varies by the buffers of a few clients: this close to the limit it is full. */
const FULL_PERCENT = 99;

/**
 * And this close if writes have been refused: a large one is refused before the last byte is used.
 */
const FULL_AFTER_OOM_PERCENT = 95;

/**
 * Whether INFO has the memory figures of every Redis, as counts of bytes: without them the state of
 * the Redis is unknown.
 */
export function showsMemory({ info }: Pick<RedisReading, 'info'>): boolean {
  // The limit is a field of INFO since Redis 4.
  const counts = [info.get('used_memory') ?? '', info.get('maxmemory') ?? '0'];
  return counts.every((count) => /^\d{1,16}$/.test(count));
}

/**
 * Judges the memory, in percent of `maxmemory` or of the machine's memory. Redis refuses writes
 * (`OOM`) when the counted memory exceeds `maxmemory` and its policy finds nothing to evict. OOM
 * errors are counted since the start: alone they show nothing about the present, so they matter
 * only if they increase or if memory is still short.
 */
export function judgeMemory(
  reading: RedisReading,
  threshold: number,
): { measurements: JsonObject; issues: Issue[]; judged: CheckedValue[] } {
  const used = numberOf(reading, 'used_memory') ?? 0;
  const counted = used - (numberOf(reading, 'mem_not_counted_for_evict') ?? 0);
  const maxmemory = numberOf(reading, 'maxmemory') ?? 0;
  const policy = reading.info.get('maxmemory_policy') ?? 'unknown';
  const oomBefore = countOf(reading.info, 'OOM');
  const oom = Math.max(oomBefore, reading.errorsLater ? countOf(reading.errorsLater, 'OOM') : 0);
  const rise = oom - oomBefore;
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
          kind: 'out-of-memory',
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
        kind: percent === null ? 'memory' : 'out-of-memory',
        title,
        detail: `${level}, policy ${policy}; ${counts}. Expected at most ${threshold} %.`,
      },
    ],
    judged: atMost('memory_percent', share, threshold),
  };
}
