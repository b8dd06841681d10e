import { clusterLines } from './kubernetes/cluster-lines.js';
import { isWorse, type Observations, type Anomalies } from './observations.js';
import type { Span } from '../domain/telemetry/records.js';
import { FAR } from './signs/sign.js';
import { nameOfSeries } from './series/meaning-of-metric.js';
import type { FaultText } from './symptoms.js';

const MOST_SPANS = 200;
const MOST_TEXT = 2_000;

/**
 * The texts that report the failure. An alert or an error counts fully, a new line without severity
 * little.
 */
export function faultTexts(seen: Observations, anomalies: Anomalies): FaultText[] {
  const texts: FaultText[] = [];
  const add = (
    text: string | undefined,
    weight: number,
    from: FaultText['from'],
    node?: string,
  ) => {
    if (text)
      texts.push({
        text: text.slice(0, MOST_TEXT),
        weight,
        from,
        ...(node !== undefined && { node }),
      });
  };
  const { alert, alertNode: node } = anomalies;
  if (alert) {
    const { labels, annotations } = alert;
    add(
      `${annotations['summary'] ?? ''} ${annotations['description'] ?? ''}`.trim(),
      1,
      'alert',
      node,
    );
    add(labels['alertname'], 0.4, 'alert', node);
    add(labels['metric'], 0.8, 'alert', node);
  }
  for (const { sample, error, warning, node } of anomalies.appeared) {
    const weight = error ? 1 : warning ? 0.9 : 0.3;
    add(sample.body, weight * (anomalies.isFar(node) ? FAR : 1), 'log', node);
  }
  for (const span of anomalies.failedSpans.slice(0, MOST_SPANS)) {
    add(span.error, 1, 'span', span.node);
    add(span.name, 0.5, 'span', span.node);
    add(attributesText(span), 0.5, 'span', span.node);
  }
  for (const span of anomalies.slowSpans.slice(0, MOST_SPANS))
    add(`${span.name} ${attributesText(span)}`, 0.6, 'operation', span.node);
  for (const series of anomalies.moved)
    if (isWorse(series)) add(nameOfSeries(series), 0.8, 'metric', series.node);
  for (const { line, node, since } of clusterLines(seen, anomalies.quietUntil))
    texts.push({
      text: line.slice(0, MOST_TEXT),
      weight: 0.9,
      from: 'cluster',
      node,
      ...(since !== undefined && { since }),
    });
  for (const { pattern, count, delta, node } of seen.patterns)
    if (delta > 0 && delta >= 0.5 * count) add(pattern, 0.7, 'pattern', node);
  return texts;
}

const attributesText = ({ attributes }: Span): string =>
  Object.entries(attributes)
    .map(([key, value]) => `${key} ${value}`)
    .join(' ');
