import type { SeriesDelta } from './metric-thresholds.js';
import type { ScrapedMetrics } from './prometheus-text.js';

/**
 * Each series with its change. A counter that fell was reset, and has counted from 0 since (as
 * Prometheus' `increase` has it).
 */
export function changesOf(
  before: ScrapedMetrics,
  after: ScrapedMetrics,
  readTwice: boolean,
): SeriesDelta[] {
  return [...after.samples.values()].map((sample) => {
    const earlier = before.samples.get(sample.key)?.value;
    if (!readTwice || earlier === undefined) return { sample };
    const reset = sample.value < earlier && isCounter(sample.name, after);
    return { sample, change: reset ? sample.value : sample.value - earlier, reset };
  });
}

function isCounter(name: string, { types }: ScrapedMetrics): boolean {
  const family = name.replace(/_(total|bucket|count|sum)$/, '');
  const type = types.get(name) ?? types.get(family);
  return (
    type === 'counter' ||
    ((type === 'histogram' || type === 'summary') && name !== family) ||
    (type === undefined && name.endsWith('_total'))
  );
}
