import { z } from 'zod';
import type { Series } from '../../domain/telemetry/records.js';
import { arrayToFirstFault } from '../../lib/first-fault.js';

type Point = Pick<Series, 'times' | 'values'>;
type UnassignedSeries = Omit<Series, 'node'>;

const labels = z.record(z.string(), z.string());
const line = z.object({
  metric: labels,
  values: arrayToFirstFault(z.tuple([z.number(), z.union([z.string(), z.number()])])),
});
const answer = z.object({ data: z.object({ result: arrayToFirstFault(line) }) });

/**
 * Series of one line: an element of `data.result` of a Prometheus range query, or a whole answer of
 * it.
 */
export function seriesIn(value: unknown): UnassignedSeries[] {
  const one = line.safeParse(value);
  if (one.success) return [toSeries(one.data)];
  const whole = answer.safeParse(value);
  return whole.success ? whole.data.data.result.map(toSeries) : [];
}

function toSeries({ metric, values }: z.infer<typeof line>): UnassignedSeries {
  const { __name__: name = '', ...rest } = metric;
  return {
    name,
    labels: rest,
    times: values.map(([seconds]) => seconds * 1_000),
    values: values.map(([, text]) => numberOf(text)),
  };
}

const numberOf = (text: string | number): number =>
  text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text);

const SAMPLE = /^([a-zA-Z_:][\w:.]*)(?:\{(.*)\})?\s+(\S+)\s+(\d+(?:\.\d+)?)$/;
// Begins only where a name can begin, so that the time is linear in the length of a line.
const LABEL = /(?<![\w.])([a-zA-Z_][\w.]*)="((?:[^"\\]|\\.)*)"/g;

/**
 * A label value as it was before it was escaped: `\n` is a line feed, any other character stands
 * for itself.
 */
const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));

/** Maximum samples that are kept until their series are complete. */
const MOST_SAMPLES = 200_000;

/**
 * The series of OpenMetrics text with timestamps: samples of one series may lie anywhere in the
 * file, in order of time.
 */
export async function* openMetricsIn(
  lines: AsyncIterable<string>,
): AsyncGenerator<UnassignedSeries> {
  const open = new Map<string, UnassignedSeries>();
  let held = 0;
  for await (const line of lines) {
    const sample = sampleIn(line);
    if (sample === undefined) continue;
    const key = JSON.stringify([sample.name, sample.labels]);
    const known = open.get(key);
    if (known === undefined) open.set(key, sample);
    else {
      known.times.push(...sample.times);
      known.values.push(...sample.values);
    }
    held += 1;
    if (held < MOST_SAMPLES) continue;
    yield* open.values();
    open.clear();
    held = 0;
  }
  yield* open.values();
}

/**
 * A sample of OpenMetrics text with a timestamp, as `promtool tsdb dump-openmetrics` writes it.
 * @internal Exported for tests.
 */
export function sampleIn(text: string): (UnassignedSeries & Point) | undefined {
  const [, name, list = '', value, seconds] = SAMPLE.exec(text) ?? [];
  if (name === undefined || value === undefined || seconds === undefined) return undefined;
  const found = [...list.matchAll(LABEL)].map(
    ([, key = '', escaped = '']) => [key, unescaped(escaped)] as const,
  );
  return {
    name,
    labels: Object.fromEntries(found),
    times: [Number(seconds) * 1_000],
    values: [numberOf(value)],
  };
}
