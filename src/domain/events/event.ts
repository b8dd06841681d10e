import type { Finding, Report } from '../diagnosis/finding.js';
import type { Measures } from '../diagnosis/tool-result.js';
import type { Json, JsonObject } from '../../lib/json.js';

export type AgentType = 'global_supervisor' | 'team_supervisor' | 'worker' | 'oracle';

/** Who an event comes from; null for the service itself. Contract section 2. */
export interface Source {
  agent_id: string;
  agent_type: AgentType;
  agent_name: string;
  team_name: string | null;
}

/** Running token counts of a run. `total_tokens` is what the log's append adds up. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  /** Of the turns whose model has prices, in their currency; left out where none has. */
  cost?: number;
}

/** The place of an `llm.*` event: the dispatch that the agent works on (null at the top), its turn and attempt (from 1). */
export interface Turn {
  dispatch_id: string | null;
  turn: number;
  attempt: number;
}

export type ToolCallStatus = 'ok' | 'error' | 'timeout' | 'denied' | 'interrupted';

/** Where something that a tool found stands. */
export interface ResultSource {
  path: string;
  source_type: string;
  snippet: string;
  score: number;
}

/** `data` of each event. Contract section 2. */
export interface EventData {
  'lifecycle.started': {
    kind: 'diagnosis' | 'chat';
    topology_id: number | null;
    topology_name: string | null;
    user_message: string;
    /** Of a chat: the conversation, and where in it this turn stands. */
    session_id?: string;
    context_id?: string;
    /** Of a chat: what its client calls this run, where the client's protocol has it name runs. */
    client_run_id?: string;
    /** Of a chat: what the turn begins with, of the model's window. */
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
  'lifecycle.failed': { error: string; code: string; retryable: boolean; report: Report | null };
  'lifecycle.cancelled': { reason: string; report: Report | null };
  'llm.stream': Turn & { content: string };
  'llm.reasoning': Turn & { thought: string };
  'llm.tool_call': Turn & { tool: string; args: JsonObject; tool_call_id: string };
  'llm.tool_result': Turn & {
    tool: string;
    result: Json;
    tool_call_id: string;
    status: ToolCallStatus;
    duration_ms: number;
    truncated: boolean;
    /** Of a measurement: the id of the node that the tool measured. */
    node?: string;
    /** Of a measurement: what of the node was measured, by the arguments that choose it; `""` for none. */
    subject?: string;
    /** Of a measurement: what its tool measures. Absent in older logs. */
    measures?: Measures;
    sources?: ResultSource[];
  };
  'llm.usage': Turn & {
    model: string;
    input_tokens: number;
    output_tokens: number;
    /** Of the run so far: filled in by the append, whatever stands here. */
    total_tokens: number;
    context_tokens: number;
    max_context_tokens: number;
    /** `error` or `aborted`: of an attempt that broke off. */
    finish_reason: string;
    /** The provider did not say, or not all: counted from the length of the texts. */
    estimated?: true;
    /** In the currency of the model's prices, where they are known. */
    cost?: number;
  };
  'dispatch.team': { team_name: string; task: string; dispatch_id: string; agent_id: string };
  'dispatch.worker': { worker_name: string; task: string; dispatch_id: string; agent_id: string };
  'dispatch.report': {
    dispatch_id: string;
    status: 'ok' | 'partial' | 'failed';
    reasons: string[];
    summary: string;
    findings: Finding[];
    /** Measurements that the agent asks to disregard. They stay findings; the reason goes to their detail. */
    dismissed?: { tool_call_id: string; reason: string }[];
  };
  'system.topology': { hierarchy: JsonObject };
  'system.warning': { message: string; code: string } & JsonObject;
  'system.error': { message: string; code: string } & JsonObject;
}

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
};

export const EVENT_NAMES = Object.keys(NAMES) as EventName[];

/** Whether we know of such an event; a log that a later service has written may hold others. */
export const isEventName = (name: string): name is EventName => Object.hasOwn(NAMES, name);

/** What a writer says of an event: all but what the append fills in. */
export type DraftData<Name extends EventName> = Name extends 'llm.usage'
  ? Omit<EventData['llm.usage'], 'total_tokens'>
  : Name extends 'lifecycle.completed'
    ? Omit<EventData['lifecycle.completed'], 'usage'>
    : EventData[Name];

/**
 * When a warning is given, as only the append can tell: at most once in a run under this name, and not before the run has used
 * `from` tokens; where these are fewer than its `budget`, not after that was used up either. Then the {@link SLOTS} in its data stand for what was used.
 */
export interface Condition {
  once: string;
  tokens?: { from: number; budget: number };
}

/** What the append puts in place of these texts of a warning: a number, one for people (`40,000`), and the percentage of the budget. */
export const SLOTS = { tokens: '\u0000', tokensInWords: '\u0001', percent: '\u0002' } as const;

/** An event before it is appended: the log adds `run_id`, `timestamp` and `sequence`. */
export type DraftEvent = {
  [Name in EventName]: {
    name: Name;
    source: Source | null;
    data: DraftData<Name>;
  } & (Name extends 'system.warning' ? { when?: Condition } : unknown);
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

/** An event with the name of its frame, by which a `switch` tells its data. */
export type NamedEvent = { [Name in EventName]: RunEvent<Name> & { name: Name } }[EventName];

export const TERMINAL_EVENTS = [
  'lifecycle.completed',
  'lifecycle.failed',
  'lifecycle.cancelled',
] as const;
export type TerminalEvent = (typeof TERMINAL_EVENTS)[number];

export const isTerminal = (name: string): name is TerminalEvent =>
  (TERMINAL_EVENTS as readonly string[]).includes(name);
