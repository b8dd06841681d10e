import { lazy, Suspense, type ReactNode } from 'react';
import {
  fieldsOf,
  listOf,
  numberOf,
  textOf,
  toolFindingsOf,
  type Fields,
} from '../../model/read.js';
import { bytes, duration, number } from '../../ui/format.js';
import { Gauge, Spread, Tries } from './gauge.js';
import { seriesIn } from './series-data.js';

const Series = lazy(() => import('./series.js').then((module) => ({ default: module.Series })));

/** The numbers of a result as a picture, where their form is known. */
export function Picture({ result }: { result: unknown }) {
  const { measurements, issues } = toolFindingsOf(result);
  const limit = limitIn(result, issues.map(({ detail }) => detail).join(' '));
  const slow = issues.some(({ symptom }) => symptom === 'slow');
  const parts = [
    ...memory(measurements, limit),
    ...tries(measurements),
    ...times(measurements, slow ? limit : undefined),
    ...host(measurements, limit),
    ...certificate(measurements),
    ...lookup(measurements),
    ...seriesIn(result).map((series) => (
      <Suspense key={series.label}>
        <Series {...series} />
      </Suspense>
    )),
  ];
  return parts.length > 0 ? <div className="picture">{parts}</div> : null;
}

/** The threshold: as a field of the result, else as its text says. */
function limitIn(result: unknown, text: string): number | undefined {
  const [threshold] = listOf(fieldsOf(result)['thresholds']);
  const most = numberOf(fieldsOf(threshold)['most']);
  if (most !== undefined) return most;
  const found = /at most ([\d.]+) ?(%|ms|s)?/.exec(text);
  return found ? Number(found[1]) * (found[2] === 's' ? 1_000 : 1) : undefined;
}

function memory(measured: Fields, limit = 90): ReactNode[] {
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

function tries(measured: Fields): ReactNode[] {
  const count = numberOf(measured['tries']);
  if (count === undefined || measured['statuses'] === undefined) return [];
  return [
    <Tries
      key="tries"
      statuses={fieldsOf(measured['statuses'])}
      tries={count}
      failed={numberOf(measured['failed_tries']) ?? 0}
    />,
  ];
}

function times(measured: Fields, limit: number | undefined): ReactNode[] {
  return [
    ['latency_ms', 'Answer', limit] as const,
    ['connect_ms', 'Connection', undefined] as const,
  ].flatMap(([key, label, slow]) => {
    const { median, min, max } = fieldsOf(measured[key]);
    const [middle, least, most] = [numberOf(median), numberOf(min), numberOf(max)];
    if (middle === undefined || least === undefined || most === undefined) return [];
    return [
      <Spread key={key} label={label} median={middle} least={least} most={most} limit={slow} />,
    ];
  });
}

function host(measured: Fields, limit: number | undefined): ReactNode[] {
  const parts: ReactNode[] = [];
  const disk = numberOf(measured['disk_percent']);
  if (disk !== undefined)
    parts.push(
      <Gauge
        key="disk"
        label={`Disk ${textOf(measured['path'])}`}
        value={disk}
        most={100}
        text={`${disk} %`}
        bad={disk > (limit ?? 90)}
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
        bad={memoryPercent > (limit ?? 90)}
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
        text={String(load)}
        bad={false}
      />,
    );
  return parts;
}

/** Certificates last at most so long (CA/Browser Forum, until March 2026). */
const CERTIFICATE_DAYS = 398;
const SOON_DAYS = 21;

function certificate(measured: Fields): ReactNode[] {
  const { days_left: left, subject } = fieldsOf(measured['certificate']);
  const days = numberOf(left);
  if (days === undefined) return [];
  return [
    <Gauge
      key="certificate"
      label={`Certificate of ${textOf(subject)}`}
      value={Math.max(0, Math.min(days, CERTIFICATE_DAYS))}
      most={CERTIFICATE_DAYS}
      limit={SOON_DAYS}
      text={`${number(days)} days left`}
      bad={days < SOON_DAYS}
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
