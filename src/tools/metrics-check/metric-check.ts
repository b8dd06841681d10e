import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { Reason, MetricSample } from '../../sources/ports.js';

/** A rule about an expression of PromQL, in which `$S` stands for the matchers of a node. */
export interface MetricCheck {
  name: string;
  expression: string;
  /** Whether a value shows that the node does its work, and not only that it is scraped. */
  ofService: boolean;
  /** The further information that the server has about the value, and its key. */
  reason?: { of: Reason; keysOf: (labels: MetricSample['labels']) => readonly string[] };
  /** The maximum value that is no issue, if a value is compared with one. */
  most?: number;
  /** The issue of a value, if it is one. */
  judge(sample: MetricSample): Issue | undefined;
}

/** Rules about one kind of nodes. */
export interface CheckGroup {
  /**
   * An expression that yields something if the node is of this kind: only then are the others
   * evaluated.
   */
  gate: string;
  checks: readonly MetricCheck[];
}

export type IssueRating = Pick<Issue, 'severity' | 'symptom' | 'kind' | 'steps'>;

/** A ratio that must stay below limits, the highest first. */
export const ratio = (
  what: string,
  ...limits: readonly { above: number; rated: IssueRating }[]
): Pick<MetricCheck, 'most' | 'judge'> => ({
  most: Math.min(...limits.map(({ above }) => above)),
  judge: (sample) => {
    const limit = limits.find(({ above }) => sample.value > above);
    if (limit === undefined) return undefined;
    const name = nameIn(sample);
    return {
      ...limit.rated,
      title: `${name === undefined ? what : `${what} of ${name}`} is ${percent(sample.value)}`,
      detail: `Expected at most ${percent(limit.above)}.`,
    };
  },
});

export const percent = (value: number): string => `${Math.round(1_000 * value) / 10} %`;
const nameIn = ({ labels }: MetricSample): string | undefined =>
  ['container', 'persistentvolumeclaim', 'mountpoint', 'instance', 'pod', 'device']
    .map((name) => labels[name])
    .find((value) => value !== undefined && value !== '')
    ?.slice(0, 100);

/** The name of what a sample is about. */
export const named = (sample: MetricSample): string => nameIn(sample) ?? 'it';
