import type { EventData, Finding, NamedEvent, Severity } from '../../../src/client/index.js';

/** An event of the log with its time in ms since 1970. */
export type LogEvent = NamedEvent & { time: number };
export type EventOf<Name extends LogEvent['name']> = Extract<LogEvent, { name: Name }>;

/** `queued`: it was sent, and no process had taken it up. */
export type BarKind = 'model' | 'tool' | 'wait' | 'parked' | 'queued';
/**
 * `cut`: an attempt that broke off; `bad`: the target failed; `warn`: degraded, or nothing was
 * measured.
 */
export type BarState = 'open' | 'ok' | 'bad' | 'warn' | 'cut';

/** What an agent did for a while. `endSeq` is the event by which it is known to have ended. */
export interface Bar {
  kind: BarKind;
  startSeq: number;
  startTime: number;
  endSeq: number | null;
  endTime: number | null;
  /** Of a model call: when its first text came. */
  firstTextTime?: number;
  label: string;
  state: BarState;
  turn?: number;
  attempt?: number;
  node?: string;
  note?: string;
}

/** An agent as the topology binds it. */
export interface BoundAgent {
  name: string;
  node: string | null;
  model: string;
}

export type AgentRole = 'global_supervisor' | 'team_supervisor' | 'worker' | 'librarian' | 'oracle';
export type RowStatus = 'ok' | 'partial' | 'failed' | 'cut';

/** What an agent has used up to an event. */
export interface RowUsage {
  seq: number;
  tokens: number;
  /** Of the calls whose price is known; undefined if that is none. */
  cost: number | undefined;
  contextTokens: number;
  contextMax: number;
}

/** One dispatch: an agent at work on one task. The one at the top has the id ''. */
export interface AgentRow {
  id: string;
  agentId: string;
  role: AgentRole;
  name: string;
  team: string | null;
  node: string | null;
  parent: AgentRow | null;
  depth: number;
  task: string;
  startSeq: number;
  startTime: number;
  endSeq: number | null;
  endTime: number | null;
  status: RowStatus | null;
  summary: string;
  reasons: string[];
  findings: Finding[];
  bars: Bar[];
  children: AgentRow[];
  model: string;
  usage: RowUsage[];
  /** Sequences of events at which another process went on with it. */
  resumed: number[];
  /** When it was last known to have nothing under way: where its next model call begins. */
  idleTime: number;
  openCall: Bar | null;
  parked: Bar | null;
  /** Dispatches of its own that have not reported. */
  pending: number;
}

export type Health = 'unknown' | 'ok' | 'warning' | 'critical' | 'root' | 'unchecked';

export interface NodeTrack {
  id: string;
  name: string;
  kind: string;
  dependsOn: string[];
  team: string | null;
  changes: { seq: number; health: Health; why: string }[];
  looks: { startSeq: number; endSeq: number | null; row: AgentRow }[];
  /** Sequences of the tool results about it, ascending. */
  results: number[];
}

/** A `system.warning` or `system.error`. */
export interface Notice {
  seq: number;
  time: number;
  level: 'warning' | 'error';
  code: string;
  message: string;
  model: string;
  row: AgentRow | null;
  /** Of a wait for a provider: when it ends. */
  untilTime: number | null;
}

/** A change that an agent proposes. */
export interface Approval {
  seq: number;
  asked: EventData['system.approval'];
  /** Null: it is open. */
  decidedSeq: number | null;
}

export interface ToolCall {
  seq: number;
  bar: Bar;
  tool: string;
  args: Record<string, unknown>;
  resultSeq: number | null;
}

export interface Issue {
  severity: Severity;
  title: string;
  detail: string;
  symptom?: string;
}

export interface RunUsage {
  seq: number;
  tokens: number;
  /** Of the calls whose price is known; undefined if that is none. */
  cost: number | undefined;
}
