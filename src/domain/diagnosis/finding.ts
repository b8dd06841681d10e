/** How bad a finding is. Contract section 6. */
export type Severity = 'critical' | 'warning' | 'info';

/**
 * In what way a node is unwell. Decides what may explain it (see `root-cause.ts`):
 * `unreachable` nothing answers at the endpoint; `nameless` its host name does not exist; `erroring` it answers, wrongly; `slow` it answers late or not in time;
 * `saturated` a resource of it is used up, so that work is refused; `invalid` it is set up wrong or has expired (a certificate);
 * `advisory` worth knowing, hurts nobody yet.
 */
export const SYMPTOMS = [
  'unreachable',
  'nameless',
  'erroring',
  'slow',
  'saturated',
  'invalid',
  'advisory',
] as const;
export type Symptom = (typeof SYMPTOMS)[number];

/** A claim about one node with the tool results it rests on. Contract section 6; `symptom` is an additional field. */
export interface Finding {
  node: string;
  severity: Severity;
  title: string;
  detail: string;
  /** Sequence numbers of `llm.tool_result` events of this run, ascending, at least one. */
  evidence: number[];
  symptom?: Symptom;
}

export interface RootCause {
  node: string;
  title: string;
  /** 0..1 */
  confidence: number;
  evidence: number[];
}

export interface Unchecked {
  node: string;
  reason: string;
}

export type Verdict = 'root_cause_found' | 'issues_found' | 'healthy' | 'inconclusive';

/** Contract section 6. */
export interface Report {
  verdict: Verdict;
  root_causes: RootCause[];
  findings: Finding[];
  unchecked: Unchecked[];
  counts: Record<Severity, number>;
}
