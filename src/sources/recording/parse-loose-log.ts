import type { LogRecord } from '../../domain/telemetry/records.js';
import { MESSAGE_FIELDS, withError } from '../../engine/logs/said-in-line.js';
import { asText } from '../../lib/json.js';

/** Fields by which programs and collectors name the parts of a log record, most telling first. */
// prettier-ignore
const TIME = ['timestamp', '@timestamp', 'time', 'ts', 'datetime', 'date', '_time', 'eventTime', '@t', 'asctime', 'created', 'time_iso8601'];
// prettier-ignore
const SEVERITY = [
  'severity_text',
  'severity',
  'level',
  'log.level',
  'lvl',
  'levelname',
  'loglevel',
  '@l',
  'lvlname',
  'log_level',
];
const TRACE = ['trace_id', 'traceId', 'traceid', 'trace.id'];
const SPAN = ['span_id', 'spanId', 'spanid', 'span.id'];
/** Objects whose fields are labels: of OpenTelemetry, Loki, Fluent Bit and ECS. */
const NESTED = ['resource', 'attributes', 'labels', 'kubernetes', 'fields', 'tags', 'service'];
/** Names of Fluent Bit and ECS, as the other sources call them. */
const SAME: Readonly<Record<string, string>> = {
  pod_name: 'pod',
  container_name: 'container',
};
const MOST_LABELS = 100;

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of an object, also by their names in lower case: `Timestamp`, `Level`, `Message`. */
function byAnyCase(value: Fields): Fields {
  const lower = Object.entries(value).map(([name, field]) => [name.toLowerCase(), field] as const);
  return { ...Object.fromEntries(lower), ...value };
}

/**
 * A log record of a JSON object whose fields are named as one of the usual programs and collectors
 * names them; undefined without a time and a text.
 * @param mostText of the body, in characters
 */
export function looseLogIn(value: unknown, mostText: number): Omit<LogRecord, 'node'> | undefined {
  if (!isFields(value)) return undefined;
  const fields = byAnyCase(value);
  const first = (names: readonly string[]) =>
    names.map((name) => fields[name]).find((each) => each !== undefined && each !== null);
  const at = timeIn(first(TIME));
  const body = first(MESSAGE_FIELDS);
  if (at === undefined || body === undefined) return undefined;
  const severity = first(SEVERITY);
  const traceId = first(TRACE);
  const spanId = first(SPAN);
  return {
    at,
    severity: isFields(severity) ? '' : asText(severity),
    body: withError(asText(body), fields).slice(0, mostText),
    labels: labelsIn(value),
    ...(typeof traceId === 'string' && { traceId }),
    ...(typeof spanId === 'string' && { spanId }),
  };
}

function labelsIn(value: Fields): Record<string, string> {
  const labels: Record<string, string> = {};
  const add = (name: string, field: unknown) => {
    if (typeof field === 'string' && Object.keys(labels).length < MOST_LABELS)
      labels[SAME[name] ?? name] ??= field.slice(0, 1_000);
  };
  for (const [name, field] of Object.entries(value)) {
    if (MESSAGE_FIELDS.includes(name)) continue;
    if (!NESTED.includes(name) || !isFields(field)) add(name, field);
    else if (name === 'service') add('service.name', field['name']);
    else
      for (const [key, nested] of Object.entries(field)) {
        if (!isFields(nested)) add(key, nested);
        else for (const [deep, text] of Object.entries(nested)) add(deep, text);
      }
  }
  return labels;
}

/**
 * Seconds, milliseconds, microseconds and nanoseconds since 1970 are distinguished by their size,
 * for the years 1973 to 5138.
 */
const UNITS: readonly [least: number, perMs: number][] = [
  [1e17, 1e6],
  [1e14, 1e3],
  [1e11, 1],
  [1e8, 1e-3],
];
/** `2026-01-01 10:00:00,123` without a zone is UTC. */
const PLAIN =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/;

/** ms since 1970 of a time as programs write it; undefined if it is none. */
export function timeIn(value: unknown): number | undefined {
  const number = typeof value === 'number' ? value : Number(asText(value) || NaN);
  if (!Number.isNaN(number)) {
    const unit = UNITS.find(([least]) => number >= least);
    return unit && number / unit[1];
  }
  const text = asText(value).trim();
  const [, year, month, day, clock, fraction = '0', zone = 'Z'] = PLAIN.exec(text) ?? [];
  const iso =
    year === undefined
      ? text
      : `${year}-${month}-${day}T${clock}.${fraction.slice(0, 3)}${zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')}`;
  const at = Date.parse(iso);
  return Number.isNaN(at) ? undefined : at;
}
