import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { Sample } from '../../sources/ports.js';

/** A rule about an expression of PromQL, in which `$S` stands for the matchers of a node. */
export interface MetricCheck {
  name: string;
  expression: string;
  /** Whether a value shows that the node does its work, and not only that it is scraped. */
  ofService: boolean;
  /** What the server knows beyond the value, and its key. */
  reason?: { of: 'scrapes' | 'alerts'; keyOf: (labels: Sample['labels']) => string };
  /** The greatest value that is no issue, where a value is held against one. */
  most?: number;
  /** The issue of a value, if it is one. */
  judge(sample: Sample): Issue | undefined;
}

export const percent = (value: number): string => `${Math.round(1_000 * value) / 10} %`;
/** The name of what a sample is about. */
export const named = ({ labels }: Sample): string =>
  (
    ['container', 'persistentvolumeclaim', 'mountpoint', 'instance', 'pod']
      .map((name) => labels[name])
      .find((value) => value !== undefined && value !== '') ?? 'it'
  ).slice(0, 100);
