import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import type { Spell } from './logs/spell.js';

/** A suspect, with the evidence for and against it in sentences that a person can check. */
export interface RankedCause {
  node: string;
  kind: FailureKind;
  /** The entry of the catalogue of next steps, where more is known than the kind. */
  steps?: string;
  /** Orders the suspects; comparable within one ranking only. */
  score: number;
  /** 0 to 1: how often suspects like this one turned out to be right. */
  confidence: number;
  title: string;
  /** Id of the change that is held to be the cause. */
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

/** A cause without the next steps of what it was held to be at first. */
export const withoutSteps = ({ steps: _steps, ...cause }: RankedCause): RankedCause => cause;

/** A change that was considered. */
export interface RankedChange {
  change: string;
  /** That it went live on, or whose code it changes. */
  node?: string;
  score: number;
  /** First line of its message, or what it deployed. */
  title: string;
  liveAt: number;
  /** It cannot be the cause, rather than that nothing shows that it is. */
  isCleared: boolean;
  for: string[];
  against: string[];
}

/** A change of a node in the time before the diagnosis, which was judged by nothing. */
export interface RecentChange {
  change: string;
  node: string;
  title: string;
  at: number;
}

/** Something that looks like the cause and is held not to be, with the reasons. */
export interface RejectedSuspect {
  node: string;
  title: string;
  reasons: string[];
}

/** What the evidence of all sources adds up to. */
export interface Ranking {
  /** Nothing is out of the ordinary. */
  healthy: boolean;
  /** Where nothing is: errors that are over. */
  passed?: Spell;
  /** Where nothing is: what speaks against the alert. */
  refutation?: string;
  /** Most suspect first. */
  causes: RankedCause[];
  /** Changes considered, most suspect first, selected as the cause or not. */
  changes: RankedChange[];
  /** What was changed last, whether it may be the cause or not. */
  recent: RecentChange[];
  /** What looks like the cause, and is held not to be. */
  rejected: RejectedSuspect[];
  /** Which evidence decided. */
  method: Method;
}

export type Method =
  'graph metrics' | 'traces' | 'changes' | 'tool outputs' | 'metrics alone' | 'none';
