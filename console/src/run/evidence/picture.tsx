import { lazy, type ReactNode } from 'react';
import {
  fieldsOf,
  listOf,
  numberOf,
  textOf,
  toolFindingsOf,
  type Fields,
} from '../../model/read.js';
import { number } from '../../model/number.js';
import { bytes, duration } from '../../ui/format.js';
import { LazyPart, part } from '../../ui/lazy-part.js';
import { Gauge, Spread, Tries } from './gauge.js';
import { levelsIn } from './levels.js';
import { LogPatterns } from './log-patterns.js';
import { Ranking } from './ranking.js';
import { seriesIn } from './series-data.js';
import { patternsIn, suspectsIn } from './telemetry-data.js';
import { triesIn, type Try } from './tries.js';

const Series = lazy(
  part(() => import('./series.js').then((module) => ({ default: module.Series }))),
);

/** The numbers of a result as a picture, where their form is known. */
export function Picture({ result }: { result: unknown }) {
  const { measurements, issues } = toolFindingsOf(result);
  const slow = issues.some(({ symptom }) => symptom === 'slow');
  const limits = limitsIn(result, issues.map(({ detail }) => detail).join(' '), slow);
  const parts = [
    ...memory(measurements, limits('memory_percent')),
    ...tries(measurements, triesIn(result, limits('latency_ms') ?? limits('connect_ms'))),
    ...times(measurements, limits),
    ...host(measurements, limits),
    ...certificate(measurements, limits('days_left')),
    ...lookup(measurements),
    ...levelsIn(result).map(({ metric, ...level }) => <Gauge key={metric} {...level} />),
    ...telemetry(measurements),
    ...seriesIn(result).map((series) => (
      <LazyPart key={series.label}>
        <Series {...series} />
      </LazyPart>
    )),
  ];
  return parts.length > 0 ? <div className="picture">{parts}</div> : null;
}

type Limits = (metric: string) => number | undefined;

/**
 * The thresholds of a result by metric. In older logs only the text of an issue says one: a time if
 * something was slow.
 */
function limitsIn(result: unknown, text: string, slow: boolean): Limits {
  const { thresholds } = fieldsOf(result);
  if (thresholds !== undefined) {
    const named = listOf(thresholds).map((each) => fieldsOf(each));
    return (metric) => {
      const { most, least } = named.find((each) => each['metric'] === metric) ?? {};
      return numberOf(most) ?? numberOf(least);
    };
  }
  const found = /at most ([\d.]+) ?(%|ms|s)?/.exec(text);
  const limit = found ? Number(found[1]) * (found[2] === 's' ? 1_000 : 1) : undefined;
  return (metric) => (metric.endsWith('_ms') === slow ? limit : undefined);
}

/** Thresholds of tools where an older log does not name them. */
const PERCENT = 90;

const atMost = (limit: number | undefined, unit = ' %'): string | undefined =>
  limit === undefined ? undefined : `at most ${number(limit)}${unit}`;

function memory(measured: Fields, limit = PERCENT): ReactNode[] {
  const used = numberOf(measured['used_memory_bytes']);
  const most = numberOf(measured['maxmemory_bytes']);
  const percent = numberOf(measured['memory_percent']);
  const refused = numberOf(measured['oom_errors']) ?? 0;
  const parts: ReactNode[] = [];
  if (used !== undefined && most !== undefined && most > 0 && percent !== undefined)
    parts.push(
      <Gauge
        key="memory"
        label={`Memory, ${textOf(measured['maxmemory_policy'])}`}
        value={used}
        most={most}
        limit={most * (limit / 100)}
        rule={atMost(limit)}
        text={
          <>
            {bytes(used)}{' '}
            <small>
              of {bytes(most)}, {percent} %
            </small>
          </>
        }
        bad={percent > limit}
      />,
    );
  if (refused > 0)
    parts.push(
      <div key="refused" className="bignum is-bad">
        <b>{number(refused)}</b>
        <span>
          writes refused since the start
          {numberOf(measured['oom_errors_increase']) !== undefined &&
            `, ${numberOf(measured['oom_errors_increase'])} just now`}
        </span>
      </div>,
    );
  return parts;
}

function tries(measured: Fields, boxes: Try[] | undefined): ReactNode[] {
  const count = numberOf(measured['tries']);
  if (count === undefined || boxes === undefined) return [];
  const failed = numberOf(measured['failed_tries']) ?? 0;
  return [<Tries key="tries" boxes={boxes} tries={count} failed={failed} />];
}

function times(measured: Fields, limits: Limits): ReactNode[] {
  return [['latency_ms', 'Answer'] as const, ['connect_ms', 'Connection'] as const].flatMap(
    ([key, label]) => {
      const { median, min, max } = fieldsOf(measured[key]);
      const middle = numberOf(median);
      const least = numberOf(min);
      const most = numberOf(max);
      if (middle === undefined || least === undefined || most === undefined) return [];
      return [
        <Spread
          key={key}
          label={label}
          median={middle}
          least={least}
          most={most}
          limit={limits(key)}
        />,
      ];
    },
  );
}

function host(measured: Fields, limits: Limits): ReactNode[] {
  const parts: ReactNode[] = [];
  const disk = numberOf(measured['disk_percent']);
  if (disk !== undefined)
    parts.push(
      <Gauge
        key="disk"
        label={`Disk ${textOf(measured['path'])}`}
        value={disk}
        most={100}
        limit={limits('disk_percent')}
        rule={atMost(limits('disk_percent'))}
        text={`${disk} %`}
        bad={disk > (limits('disk_percent') ?? PERCENT)}
      />,
    );
  const memoryTotal = numberOf(measured['memory_total_bytes']);
  const memoryPercent = numberOf(measured['memory_percent']);
  if (memoryTotal !== undefined && memoryPercent !== undefined)
    parts.push(
      <Gauge
        key="host-memory"
        label="Memory"
        value={memoryPercent}
        most={100}
        text={
          <>
            {memoryPercent} % <small>of {bytes(memoryTotal)}</small>
          </>
        }
        limit={limits('memory_percent')}
        rule={atMost(limits('memory_percent'))}
        bad={memoryPercent > (limits('memory_percent') ?? PERCENT)}
      />,
    );
  const load = numberOf(measured['load_per_core']);
  if (load !== undefined)
    parts.push(
      <Gauge
        key="load"
        label={`Load per core (${textOf(measured['cores'])} cores)`}
        value={load}
        most={Math.max(2, load)}
        limit={limits('load_per_core')}
        rule={atMost(limits('load_per_core'), '')}
        text={String(load)}
        bad={load > (limits('load_per_core') ?? Infinity)}
      />,
    );
  return parts;
}

/** Certificates last at most so long (CA/Browser Forum, until March 2026). */
const CERTIFICATE_DAYS = 398;
const SOON_DAYS = 21;

function certificate(measured: Fields, soon = SOON_DAYS): ReactNode[] {
  const { days_left: left, subject } = fieldsOf(measured['certificate']);
  const days = numberOf(left);
  if (days === undefined) return [];
  return [
    <Gauge
      key="certificate"
      label={`Certificate of ${textOf(subject)}`}
      value={Math.max(0, Math.min(days, CERTIFICATE_DAYS))}
      most={CERTIFICATE_DAYS}
      limit={soon}
      rule={`at least ${number(soon)}`}
      text={`${number(days)} days left`}
      bad={days < soon}
    />,
  ];
}

function lookup(measured: Fields): ReactNode[] {
  const took = numberOf(measured['lookup_ms']);
  if (took === undefined) return [];
  return [
    <div key="lookup" className="bignum">
      <b>{duration(took)}</b>
      <span>
        to resolve {textOf(measured['name'])} to {listOf(measured['records']).join(', ')}
      </span>
    </div>,
  ];
}

function telemetry(measured: Fields): ReactNode[] {
  const suspects = suspectsIn(measured);
  const kinds = patternsIn(measured);
  return [
    ...(suspects.length > 0 ? [<Ranking key="ranking" suspects={suspects} />] : []),
    ...(kinds.length > 0 ? [<LogPatterns key="patterns" kinds={kinds} />] : []),
  ];
}
