import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';

/** A sign that a node shows, or that another node reports about it. */
export interface Sign {
  node: string;
  at?: number;
  says: string;
  /** Weight of the evidence that the node failed, 0 to 2.5; below 0: evidence against it. */
  weight: number;
  from: 'metric' | 'log' | 'kubernetes' | 'span' | 'caller';
  /** The failure that it shows, and how specific it is to that, 0 to 1. */
  kind?: FailureKind;
  /** The entry of the catalogue of next steps, if more is known than the kind. */
  steps?: string;
  tells: number;
  /** Callers of a failing node show the same. */
  spreads: boolean;
  /** Each call is repeated many times: the callee receives many times the load. */
  amplifies?: true;
}

/**
 * Faults of the speaker, though it names the node that it speaks with: its data or expectations are
 * wrong.
 */
export const OF_SPEAKER: ReadonlySet<FailureKind> = new Set([
  'auth',
  'schema-mismatch',
  'config',
  'bad-data',
  'retry-storm',
]);

/**
 * The remaining factor of a line of a node that has no path to the one that the alert is about:
 * each node has an error occasionally.
 */
export const FAR = 0.3;

/**
 * More or less traffic, and a series with a name without a meaning, are no failure by themselves.
 */
export const showsFailure = ({ from, kind }: Sign): boolean =>
  from !== 'metric' || (kind !== undefined && kind !== 'load');

/**
 * Points of series are a minute apart, and logs are late: a dependency may show its failure this
 * much later.
 */
export const SLACK_MS = 120_000;

/** A sign weaker than this explains nothing. */
export const TELLING = 0.4;

/** When a node shows a failure; Infinity if it does not. */
export const firstOf = (signs: readonly Sign[]): number =>
  Math.min(
    Infinity,
    ...signs.flatMap((sign) =>
      sign.weight >= TELLING && showsFailure(sign) ? [sign.at ?? -Infinity] : [],
    ),
  );

export const clock = (at: number): string => new Date(at).toISOString().slice(11, 19);
