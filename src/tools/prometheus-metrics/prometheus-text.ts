import { setImmediate } from 'node:timers/promises';

/** One value of a metric at one moment. */
export interface Sample {
  /** `name{a="1",b="2"}` with sorted labels: the same series always has the same key. */
  key: string;
  name: string;
  labels: ReadonlyMap<string, string>;
  value: number;
}

export interface Metrics {
  samples: Map<string, Sample>;
  /** Metric name → `counter`, `gauge`, `histogram`, `summary` or `untyped`. */
  types: Map<string, string>;
  /** Lines that are neither comment nor sample. */
  malformed: number;
}

/** Some ten milliseconds of work. */
const LINES_AT_ONCE = 1_000;

/**
 * Reads the Prometheus text format 0.0.4, and OpenMetrics as far as they agree (its exemplars after ` # ` are left out).
 * Linear in the length of the text; lets others work now and then, since a big exposition takes a quarter of a second.
 */
export async function parseMetrics(text: string): Promise<Metrics> {
  const metrics: Metrics = { samples: new Map(), types: new Map(), malformed: 0 };
  const lines = text.split('\n');
  for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
    if (start > 0) await setImmediate();
    for (const line of lines.slice(start, start + LINES_AT_ONCE)) readLine(line.trim(), metrics);
  }
  return metrics;
}

function readLine(line: string, metrics: Metrics): void {
  if (line === '') return;
  if (line.startsWith('#')) {
    const [, keyword, name, type] = line.split(/\s+/, 4);
    if (keyword === 'TYPE' && name !== undefined && type !== undefined)
      metrics.types.set(name, type);
    return;
  }
  const sample = parseSample(line);
  if (sample) metrics.samples.set(sample.key, sample);
  else metrics.malformed += 1;
}

/** A selector is a sample without a value: `name` or `name{label="x"}`. Undefined where it is malformed. */
export function parseSelector(text: string): Pick<Sample, 'name' | 'labels'> | undefined {
  const head = parseHead(text.trim());
  return head && head.rest.trim() === '' ? { name: head.name, labels: head.labels } : undefined;
}

/** Whether a sample has the selector's name and at least its labels. */
export function selects(selector: Pick<Sample, 'name' | 'labels'>, sample: Sample): boolean {
  return (
    selector.name === sample.name &&
    [...selector.labels].every(([label, value]) => sample.labels.get(label) === value)
  );
}

function parseSample(line: string): Sample | undefined {
  const head = parseHead(line);
  if (!head) return undefined;
  const value = parseValue(head.rest.trim().split(/\s+/, 1)[0] ?? ''); // A timestamp may follow.
  if (value === undefined) return undefined;
  const { name, labels } = head;
  return { key: keyOf(name, labels), name, labels, value };
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:.]*/;
const LABEL = /\s*,?\s*([a-zA-Z_][a-zA-Z0-9_.]*)\s*=\s*"((?:[^"\\]|\\.)*)"/y;
const END_OF_LABELS = /\s*,?\s*\}/y;

function parseHead(
  text: string,
): { name: string; labels: Map<string, string>; rest: string } | undefined {
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  const labels = new Map<string, string>();
  const after = text.slice(name.length).trimStart();
  if (!after.startsWith('{')) return { name, labels, rest: after };
  let position = 1;
  for (;;) {
    END_OF_LABELS.lastIndex = position;
    if (END_OF_LABELS.test(after))
      return { name, labels, rest: after.slice(END_OF_LABELS.lastIndex) };
    LABEL.lastIndex = position;
    const match = LABEL.exec(after);
    if (!match) return undefined;
    labels.set(match[1] ?? '', unescape(match[2] ?? ''));
    position = LABEL.lastIndex;
  }
}

const unescape = (text: string) =>
  text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));

function parseValue(text: string): number | undefined {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  return /^[+-]?(\d|\.\d)/.test(text) && !Number.isNaN(Number(text)) ? Number(text) : undefined;
}

function keyOf(name: string, labels: ReadonlyMap<string, string>): string {
  if (labels.size === 0) return name;
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name}{${sorted.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(',')}}`;
}
