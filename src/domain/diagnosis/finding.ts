import { clip, joinSentences } from '../../lib/text.js';
import type { FailureKind } from './failure-kind.js';

/** The severity of a finding. Contract section 6. */
export type Severity = 'critical' | 'warning' | 'info';

/**
 * In what way a node is unhealthy. It decides what may explain it (see `root-cause.ts`):
 * `unreachable` nothing answers at the endpoint; `nameless` its host name does not exist;
 * `erroring` it answers, wrongly; `slow` it answers late or not in time; `saturated` a resource of
 * it is used up, so that work is refused; `invalid` it is set up wrong or has expired (a
 * certificate); `advisory` worth knowing, without effect yet.
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

/** Code points of an explanation. */
export const MOST_EXPLANATION = 600;

/** A claim about one node with the tool results that support it. Contract section 6. */
export interface Finding {
  node: string;
  severity: Severity;
  title: string;
  detail: string;
  /** Sequence numbers of `llm.tool_result` events of this run, ascending, at least one. */
  evidence: number[];
  symptom?: Symptom;
  /**
   * `measured`: an issue that a tool measured; `agent`: a supported claim of an agent. Absent in
   * older logs.
   */
  origin?: 'measured' | 'agent';
  kind?: FailureKind;
  /** The entry of the catalogue of next steps, if its tool knows more than the kind. */
  steps?: string;
  /** The affected part of the node, as commands name it. */
  part?: string;
  /** Only text of the node states the kind: no tool measured it. */
  stated?: true;
  /**
   * Only an alert states it: a reason to check the node. It makes the node no cause and explains
   * nothing.
   */
  alert?: true;
  /** Some of the tries of a measurement failed in this way, and others did not fail. */
  intermittent?: true;
  /** The HTTP status that the node returned, if that is the failure. */
  http_status?: number;
  /** The affected object of Kubernetes: `shop/Deployment/orders`, `Node/worker-1`. */
  object?: string;
  /** ms until the node showed this. */
  took_ms?: number;
  /** Id of the node that reported it, where it was not measured at the node itself. */
  via?: string;
  /** The statements of agents about a measured issue. */
  explanation?: string;
}

/** Contract section 6. The optional fields are absent in older logs. */
export interface RootCause {
  node: string;
  title: string;
  /** 0..1, computed by the service. */
  confidence: number;
  evidence: number[];
  kind?: FailureKind;
  /** From the finding: the entry of the catalogue of next steps, the part and the object. */
  steps?: string;
  part?: string;
  object?: string;
  /** How the node is unhealthy. */
  symptom?: Symptom;
  /** Ids of unhealthy nodes that depend on it, directly or not, and whose faults it explains. */
  explains?: string[];
  /** Ids of nodes, from the furthest affected one to the root cause itself. */
  chain?: string[];
  /** The change that caused it, and when it began (ISO 8601). */
  change?: string;
  onset?: string;
  /** Dependencies of the node that the measurements do not rule out. */
  not_excluded?: { node: string; reason: string }[];
  /** What the confidence was computed from, one sentence each. */
  basis?: string[];
}

/** Why a node was not checked. Contract section 6. */
export type UncheckedReason =
  | 'NOT_MEASURED'
  | 'NOT_ASKED'
  | 'NO_TOOL'
  | 'FORBIDDEN'
  | 'NOT_READ'
  | 'SOURCE_UNAVAILABLE'
  | 'LIMIT_REACHED'
  | 'AGENT_FAILED'
  | 'UNRELIABLE';

export interface Unchecked {
  node: string;
  /** An {@link UncheckedReason} or another code in capitals; words in older logs. */
  reason: string;
  /** The reason in a sentence. */
  detail?: string;
  /** Sequence numbers of the `llm.tool_result` events that show it. */
  evidence?: number[];
}

export const VERDICTS = ['root_cause_found', 'issues_found', 'healthy', 'inconclusive'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const NODE_STATES = ['healthy', 'degraded', 'failed', 'downstream', 'unknown'] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** The state of a node in a run. */
export interface NodeHealth {
  node: string;
  state: NodeState;
  /** It was only measured that the node answers, not that it works: a port accepts connections. */
  reached_only?: true;
}

/**
 * A next step for a failure. `change` alters the system; the service never does it without
 * approval.
 */
export interface NextStep {
  text: string;
  node?: string;
  /** For a step that is the same for several nodes: the ids of those that it names. */
  nodes?: string[];
  access: 'read' | 'change';
  /** Sequence numbers of the `llm.tool_result` events that it answers. */
  evidence?: number[];
  command?: string;
  /** `agent`: proposed by a model; not checked by the service. */
  origin?: 'catalogue' | 'agent';
}

/** A tool result in short form, so that a report can be read without its log. */
export interface ReportCitation {
  sequence: number;
  tool: string;
  node: string;
  status: string;
  summary: string;
  /** ISO 8601, UTC: the time of the measurement by the log's clock. */
  at: string;
}

export const REPAIR_OUTCOMES = ['done', 'failed', 'refused', 'expired'] as const;

/**
 * A change that an agent requested in the run. It does not show whether the node is healthy now.
 * Contract section 11.
 */
export interface Repair {
  node: string;
  tool: string;
  /** `refused`, `expired`: not executed; `failed`: approved, and the tool could not do it. */
  outcome: (typeof REPAIR_OUTCOMES)[number];
  /** What was done, or why not. */
  text: string;
  /** Name of the principal that decided; null if none did, or without authentication. */
  decided_by?: string | null;
  /** Sequence of its `llm.tool_result`. */
  evidence: number[];
}

/**
 * Contract section 6. The optional fields are absent in older logs; `concludeRun` fills all but
 * `repairs`.
 */
export interface Report {
  verdict: Verdict;
  root_causes: RootCause[];
  findings: Finding[];
  unchecked: Unchecked[];
  counts: Record<Severity, number>;
  headline?: string;
  /** All suspects, by descending score; the root causes come first. `score`: 0..1. */
  candidates?: { node: string; score: number }[];
  nodes?: NodeHealth[];
  next_steps?: NextStep[];
  impact?: string;
  citations?: ReportCitation[];
  /** The text of the agent at the top. */
  narrative?: string;
  /** Only for a run that may repair, if a change was requested. */
  repairs?: Repair[];
}

type NextStepFields = Pick<Finding, 'steps' | 'part' | 'object'>;

/** The fields of a tool's finding that select next steps. */
export const nextStepsIn = ({ steps, part, object }: NextStepFields): NextStepFields => ({
  ...(steps !== undefined && { steps }),
  ...(part !== undefined && { part }),
  ...(object !== undefined && { object }),
});

/**
 * A failure of another kind than its tool found: the tool's fields for next steps do not apply to
 * it.
 */
export function ofOtherKind<Failure extends NextStepFields & { kind?: FailureKind }>(
  failure: Failure,
  kind: FailureKind,
): Omit<Failure, keyof NextStepFields> & { kind: FailureKind } {
  const { steps: _steps, part: _part, object: _object, ...rest } = failure;
  return { ...rest, kind };
}

export const symptomOf = ({ symptom, severity }: Pick<Finding, 'symptom' | 'severity'>): Symptom =>
  symptom ?? (severity === 'critical' ? 'erroring' : 'advisory');

/** Whether a finding shows an unhealthy node, and not only something that is worth knowing. */
export const isFailure = (finding: Pick<Finding, 'symptom' | 'severity'>): boolean =>
  finding.severity !== 'info' && symptomOf(finding) !== 'advisory';

/** Whether only an agent claims it: no tool measured it, so it decides nothing. */
export const isClaim = ({ origin }: { origin?: Finding['origin'] | undefined }): boolean =>
  origin === 'agent';

/** Marks a title that only an agent claims. */
export const originNote = (finding: { origin?: Finding['origin'] | undefined }): string =>
  isClaim(finding) ? ' (claimed by an agent)' : '';

const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];

/** Compares for a list that begins with the most severe. */
export const bySeverity = (a: Pick<Finding, 'severity'>, b: Pick<Finding, 'severity'>): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);

/** Kinds that state only that a node fails. */
const VAGUE: readonly FailureKind[] = ['unknown', 'exception'];
/** Kinds that state how a node fails, and not why. */
const GENERAL: readonly FailureKind[] = ['crash', 'latency', 'timeout'];

type KindOfFinding = Pick<Finding, 'kind' | 'stated'>;

/**
 * Compares findings of one node by how specific their kind is: measured kinds come before those
 * that the node states.
 */
export function byTelling(a: KindOfFinding, b: KindOfFinding): number {
  const rank = ({ kind = 'unknown', stated }: KindOfFinding) => {
    if (VAGUE.includes(kind)) return 3;
    if (stated) return 2;
    return GENERAL.includes(kind) ? 1 : 0;
  };
  return rank(a) - rank(b);
}

/** The detail of a finding, with the reasons that agents give to disregard it. */
export const withDismissals = (detail: string, reasons: readonly string[]): string =>
  joinSentences(
    detail,
    `An agent asks to disregard this: "${clip([...new Set(reasons)].join('; '), MOST_EXPLANATION)}".`,
  );
