import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import type { Spell } from './logs/spell.js';

/** A suspect, with the evidence for and against it as sentences that a person can check. */
export interface RankedCause {
  node: string;
  kind: FailureKind;
  /** The entry of the catalogue of next steps, if more is known than the kind. */
  steps?: string;
  /** Orders the suspects; comparable within one ranking only. */
  score: number;
  /** 0 to 1: how often suspects like this one are right. */
  confidence: number;
  title: string;
  /** Id of the change that is selected as the cause. */
  change?: string;
  /** ms */
  onset?: number;
  /** Nodes that call it much more often for each request than before. */
  loadedBy?: string[];
  /**
   * An alert is the only evidence: it shows where a failure was noticed, and no record shows why.
   */
  alertOnly?: true;
  for: string[];
  against: string[];
}

/** A cause without the next steps of the initially assumed failure. */
export const withoutSteps = ({ steps: _steps, ...cause }: RankedCause): RankedCause => cause;

/** A change that was considered. */
export interface RankedChange {
  change: string;
  /** The node on which it went live, or whose code it changes. */
  node?: string;
  score: number;
  /** First line of its message, or the deployed version. */
  title: string;
  liveAt: number;
  /** It cannot be the cause, rather than that there is no evidence for it. */
  isCleared: boolean;
  for: string[];
  against: string[];
}

/** A recent change of a node that was not judged. */
export interface RecentChange {
  change: string;
  node: string;
  title: string;
  at: number;
}

/** An apparent cause that was rejected, with the reasons. */
export interface RejectedSuspect {
  node: string;
  title: string;
  reasons: string[];
}

/** The result of the evidence of all sources. */
export interface Ranking {
  /** There is no anomaly. */
  healthy: boolean;
  /** If there is none: errors that are over. */
  passed?: Spell;
  /** If there is none: the evidence against the alert. */
  refutation?: string;
  /** Most suspect first. */
  causes: RankedCause[];
  /** Changes considered, most suspect first, selected as the cause or not. */
  changes: RankedChange[];
  /** The latest changes, whether they may be the cause or not. */
  recent: RecentChange[];
  /** Apparent causes that were rejected. */
  rejected: RejectedSuspect[];
  /** The evidence that decided. */
  method: Method;
}

export type Method =
  'graph metrics' | 'traces' | 'changes' | 'tool outputs' | 'metrics alone' | 'none';
