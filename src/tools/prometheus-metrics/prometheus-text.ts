import { setImmediate } from 'node:timers/promises';
import { parseSample, type PrometheusSample } from './prometheus-line.js';

export interface ScrapedMetrics {
  /** The series that were kept, in the order of the text. */
  samples: Map<string, PrometheusSample>;
  /** Metric name → `counter`, `gauge`, `histogram`, `summary` or `untyped`. */
  types: Map<string, string>;
  /** Lines with a sample, those that were not kept included. */
  series: number;
  /** Samples of each interest that were not kept because a bound was reached. */
  leftOut: Record<Interest, number>;
  /** Lines that are neither comment nor sample, longer than 16 kB, or with more than 64 labels. */
  malformed: number;
}

/** Why a series is kept: it is judged, or only shown. */
export type Interest = 'judged' | 'shown';

/**
 * Bounds on what is kept of one page, of each interest: what is shown takes no place from what is
 * judged. A series of a few bytes becomes an object of some hundred.
 * @internal Exported for tests.
 */
export const METRICS_BOUNDS = { line: 16_384, kept: 5_000, keptText: 512 * 1024, types: 5_000 };

/** ms after which other work of the process gets its turn. */
const TURN_MS = 10;
const LINES_BETWEEN_LOOKS = 64;

/**
 * Reads the Prometheus text format 0.0.4, and OpenMetrics as far as they agree (its exemplars after
 * ` # ` are left out): https://prometheus.io/docs/instrumenting/exposition_formats/. For hostile
 * pages: linear in the length of the text, with bounds on what is kept, and other work gets its
 * turn every {@link TURN_MS} ms.
 *
 * @param interestIn by the name of the metric; others are only counted
 */
export async function parseMetrics(
  text: string,
  interestIn: (name: string) => Interest | undefined = () => 'shown',
): Promise<ScrapedMetrics> {
  const page = new Page(interestIn);
  let turn = performance.now();
  let lines = 0;
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (end - start > METRICS_BOUNDS.line) page.metrics.malformed += 1;
    else page.read(text.slice(start, end).trim());
    start = end + 1;
    if ((lines += 1) % LINES_BETWEEN_LOOKS === 0 && performance.now() - turn > TURN_MS) {
      await setImmediate();
      turn = performance.now();
    }
  }
  return page.metrics;
}

class Page {
  readonly metrics: ScrapedMetrics = {
    samples: new Map(),
    types: new Map(),
    series: 0,
    leftOut: { judged: 0, shown: 0 },
    malformed: 0,
  };
  private readonly kept = { judged: { series: 0, text: 0 }, shown: { series: 0, text: 0 } };

  constructor(private readonly interestIn: (name: string) => Interest | undefined) {}

  read(line: string): void {
    if (line === '') return;
    if (line.startsWith('#')) return this.readComment(line);
    const sample = parseSample(line);
    if (!sample) {
      this.metrics.malformed += 1;
      return;
    }
    const { samples } = this.metrics;
    this.metrics.series += samples.has(sample.key) ? 0 : 1;
    const interest = this.interestIn(sample.name);
    if (interest === undefined) return;
    const kept = this.kept[interest];
    if (kept.series === METRICS_BOUNDS.kept || kept.text + line.length > METRICS_BOUNDS.keptText) {
      this.metrics.leftOut[interest] += 1;
      return;
    }
    kept.series += samples.has(sample.key) ? 0 : 1;
    kept.text += line.length;
    samples.set(sample.key, sample);
  }

  private readComment(line: string): void {
    const [, keyword, name, type] = line.split(/\s+/, 4);
    if (keyword !== 'TYPE' || name === undefined || type === undefined) return;
    if (this.metrics.types.size < METRICS_BOUNDS.types && name.length <= 200)
      this.metrics.types.set(name, type.slice(0, 20));
  }
}
