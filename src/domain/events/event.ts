import type { Limits } from '../limits/limit-bounds.js';
import type { Finding, Report } from '../diagnosis/finding.js';
import type { Measures } from '../diagnosis/tool-result.js';
import type { Json, JsonObject } from '../../lib/json.js';

export type AgentType = 'global_supervisor' | 'team_supervisor' | 'worker' | 'oracle';

/** The origin of an event; null for the service itself (contract section 2). */
export interface Source {
  agent_id: string;
  agent_type: AgentType;
  agent_name: string;
  team_name: string | null;
}

/** Token counts of a run. The log's append computes `total_tokens`. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  /** Cost of the turns whose model has prices, in their currency; missing if none has. */
  cost?: number;
}

/**
 * The position of an `llm.*` event: the agent's dispatch (null for the top agent), turn and attempt
 * (from 1).
 */
export interface Turn {
  dispatch_id: string | null;
  turn: number;
  attempt: number;
}

/** When a model call was made, all in ms. Absent in older logs. */
export interface CallTiming {
  /** From the request to the end of the answer. */
  duration_ms: number;
  /**
   * Before the request: for room at the model, a pause of its provider, or the back-off after a
   * failed attempt.
   */
  waited_ms: number;
  /** From the request to the first part of the answer. Absent if there was none. */
  first_token_ms?: number;
  /** On the first call of a dispatch: from the dispatch to when a process took it up. */
  queued_ms?: number;
}

export type ToolCallStatus = 'ok' | 'error' | 'timeout' | 'denied' | 'interrupted';

/** The location of something that a tool found. */
export interface ResultSource {
  path: string;
  source_type: string;
  snippet: string;
  score: number;
}

/** `data` of each event (contract section 2). */
export interface EventData {
  'lifecycle.started': {
    kind: 'diagnosis' | 'chat';
    topology_id: number | null;
    topology_name: string | null;
    user_message: string;
    /**
     * The effective limits. The run ends at the latest `timeoutSeconds` after this event. Absent in
     * older logs.
     */
    limits?: Limits;
    /** Of a diagnosis that was asked to look at a part of its topology: the ids of the nodes. */
    scope?: string[];
    /** Of a diagnosis whose agents may ask to change things. */
    repair?: boolean;
    /** For a chat: the conversation, and the position of this turn in it. */
    session_id?: string;
    context_id?: string;
    /**
     * For a chat: the id that the client chose for this run, if its protocol lets clients name
     * runs.
     */
    client_run_id?: string;
    /** Of a chat: the run that the person looks at. */
    about_run_id?: string;
    /** For a chat: used tokens of the model's window at the start of the turn. */
    context_tokens?: number;
    max_context_tokens?: number;
  };
  'lifecycle.completed': {
    summary: string;
    report: Report | null;
    partial: boolean;
    reasons: string[];
    /** Filled in by the append. */ usage: Usage;
  };
  'lifecycle.failed': {
    error: string;
    code: string;
    retryable: boolean;
    report: Report | null;
    /** If a provider asked for a long pause: when it is called again, as ISO 8601. */
    retry_at?: string;
  };
  'lifecycle.cancelled': { reason: string; report: Report | null };
  'llm.stream': Turn & { content: string };
  'llm.reasoning': Turn & { thought: string };
  'llm.tool_call': Turn & {
    tool: string;
    args: JsonObject;
    tool_call_id: string;
    /** The service makes the call: the agent's model ended its work without it. */
    by_service?: true;
  };
  'llm.tool_result': Turn & {
    tool: string;
    result: Json;
    tool_call_id: string;
    status: ToolCallStatus;
    duration_ms: number;
    truncated: boolean;
    /** For a measurement: the id of the measured node. */
    node?: string;
    /** For a measurement: what was measured, by the arguments that select it; `""` for none. */
    subject?: string;
    /** For a measurement: what its tool measures. Missing in older logs. */
    measures?: Measures;
    /** As in `llm.tool_call`. */
    by_service?: true;
    sources?: ResultSource[];
    /** Of a call that changes its target: how a person decided about it. */
    approval?: { approval_id: string; decision: ApprovalDecision; by: string | null };
  };
  'llm.usage': Turn & {
    model: string;
    input_tokens: number;
    output_tokens: number;
    /** Of the run so far. The append sets it and ignores the given value. */
    total_tokens: number;
    context_tokens: number;
    max_context_tokens: number;
    /** `error` or `aborted` for an attempt that was interrupted. */
    finish_reason: string;
    /** The provider did not count all tokens; estimated from the length of the texts. */
    estimated?: true;
    /** In the currency of the model's prices, if they are known. */
    cost?: number;
  } & Partial<CallTiming>;
  'dispatch.team': { team_name: string; task: string; dispatch_id: string; agent_id: string };
  'dispatch.worker': { worker_name: string; task: string; dispatch_id: string; agent_id: string };
  'dispatch.report': {
    dispatch_id: string;
    status: 'ok' | 'partial' | 'failed';
    reasons: string[];
    summary: string;
    findings: Finding[];
    /**
     * Measurements that the agent asks to disregard. They stay findings; the reason becomes part of
     * their detail.
     */
    dismissed?: { tool_call_id: string; reason: string }[];
  };
  'system.topology': { hierarchy: JsonObject };
  'system.warning': { message: string; code: string } & JsonObject;
  'system.error': { message: string; code: string } & JsonObject;
  /** A call that changes its target waits for a person. Contract section 11. */
  'system.approval': {
    /** Unique in the run. */
    approval_id: string;
    tool_call_id: string;
    dispatch_id: string | null;
    turn: number;
    tool: string;
    args: JsonObject;
    /** SHA-256 of tool and arguments, hexadecimal: what a decision is about. */
    args_digest: string;
    node: string;
    /** What may go wrong, in a sentence. */
    risk: string;
    /** ISO 8601, UTC, by the log's clock. */
    expires_at: string;
    /** What will be done, in a sentence. */
    message: string;
  };
  /** The end of an approval: at most one of each. */
  'system.decision': {
    approval_id: string;
    decision: ApprovalDecision;
    /** Name of the principal; null for an approval that expired. */
    by: string | null;
    reason?: string;
    message: string;
  };
}

/** How an approval ended. `expired` counts as refused. */
export type ApprovalDecision = 'approve' | 'deny' | 'expired';

export type EventName = keyof EventData;

const NAMES: Record<EventName, true> = {
  'lifecycle.started': true,
  'lifecycle.completed': true,
  'lifecycle.failed': true,
  'lifecycle.cancelled': true,
  'llm.stream': true,
  'llm.reasoning': true,
  'llm.tool_call': true,
  'llm.tool_result': true,
  'llm.usage': true,
  'dispatch.team': true,
  'dispatch.worker': true,
  'dispatch.report': true,
  'system.topology': true,
  'system.warning': true,
  'system.error': true,
  'system.approval': true,
  'system.decision': true,
};

export const EVENT_NAMES = Object.keys(NAMES) as EventName[];

/** Whether the event is known. The log of a later version of the service may contain others. */
export const isEventName = (name: string): name is EventName => Object.hasOwn(NAMES, name);

/** The data of an event without the fields that the append fills in. */
export type DraftData<Name extends EventName> = Name extends 'llm.usage'
  ? Omit<EventData['llm.usage'], 'total_tokens'>
  : Name extends 'lifecycle.completed'
    ? Omit<EventData['lifecycle.completed'], 'usage'>
    : EventData[Name];

/**
 * A condition that only the append can evaluate: the warning is given at most once per run under
 * this name, after the run has used `from` tokens, and, if `from` is less than `budget`, not after
 * the budget is used up. The append fills the {@link SLOTS} in its data.
 */
export interface AppendCondition {
  once: string;
  tokens?: { from: number; budget: number };
}

/**
 * Placeholders in a warning that the append replaces: the used tokens as a number, the same with
 * separators (`40,000`), and the percentage of the budget.
 */
export const SLOTS = { tokens: '\u0000', tokensInWords: '\u0001', percent: '\u0002' } as const;

/** An event before it is appended. The log adds `run_id`, `timestamp` and `sequence`. */
export type DraftEvent = {
  [Name in EventName]: {
    name: Name;
    source: Source | null;
    data: DraftData<Name>;
  } & (Name extends 'system.warning' ? { when?: AppendCondition } : unknown);
}[EventName];

/** An event as read from the log. */
export interface RunEvent<Name extends EventName = EventName> {
  run_id: string;
  timestamp: string;
  sequence: number;
  source: Source | null;
  event: { category: string; action: string };
  data: EventData[Name];
}

/** An event with its name, for a `switch` that narrows its data. */
export type NamedEvent = { [Name in EventName]: RunEvent<Name> & { name: Name } }[EventName];

export const TERMINAL_EVENTS = [
  'lifecycle.completed',
  'lifecycle.failed',
  'lifecycle.cancelled',
] as const;
export type TerminalEvent = (typeof TERMINAL_EVENTS)[number];

export const isTerminal = (name: string): name is TerminalEvent =>
  (TERMINAL_EVENTS as readonly string[]).includes(name);
