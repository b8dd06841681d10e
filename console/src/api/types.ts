import type { Report, Verdict } from '../../../src/domain/diagnosis/finding.js';
import type { ConversationRecord, RunRecord } from '../../../src/client/index.js';

export type RunStatus = RunRecord['status'];

/** What is wrong at a place of a body. */
export interface Fault {
  path: string;
  message: string;
}

/** A run in a list, with how it ended. */
export interface RunItem {
  runId: string;
  kind: 'diagnosis' | 'chat';
  status: RunStatus;
  topologyId: number | null;
  topologyName: string | null;
  topologyVersion: number | null;
  userMessage: string;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  lastSequence: number;
  usage: { total_tokens?: number; cost?: number } | null;
  deadline: string;
  logKept: boolean;
  verdict: Verdict | null;
  headline: string | null;
  counts: { critical: number; warning: number; info: number } | null;
  partial: boolean;
  reasons: string[];
  error: { code: string; message: string } | null;
}

/** One run with its report. */
export interface RunDetail extends RunItem {
  quiesced: boolean;
  stopping: unknown[];
  summary: string | null;
  report: Report | null;
}

export interface Page<T> {
  items: T[];
  nextCursor?: string | null;
}

export interface TopologyItem {
  id: number;
  name: string;
  description?: string;
  version: number;
  updatedAt: string;
  nodeCount: number;
  teamCount: number;
  agentCount: number;
}

export interface TopologyNode {
  id: string;
  name: string;
  kind: string;
  endpoint?: string;
  dependsOn?: string[];
  attributes?: Record<string, unknown>;
}

export interface Topology {
  id: number;
  name: string;
  description?: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  nodes: TopologyNode[];
  limits?: Record<string, number>;
  teams?: unknown[];
  /** The parts that the service derived. */
  derived?: string[];
}

export interface ConversationItem {
  id: string;
  title: string | null;
  topologyId: number | null;
  running: string | null;
  updatedAt: string;
}

type Message = ConversationRecord['messages'][number];

export interface ConversationNode {
  id: string;
  parentId: string | null;
  runId: string;
  question: string;
  answer: string;
  status: string;
  partial: boolean;
  error?: string;
  tool_calls?: Message['tool_calls'];
  usage?: Message['usage'];
}

export interface ConversationTree {
  title: string | null;
  head: string | null;
  nodes: ConversationNode[];
}

export interface ModelItem {
  name: string;
  description: string;
  default: boolean;
  model?: string;
  contextWindow?: number;
  prices?: { input: number; output: number };
  concurrency?: number;
  fallback?: string[];
}

export interface ToolItem {
  name: string;
  description: string;
  access?: string;
}

export interface RuleItem {
  id: string;
  name: string;
  description: string;
  trigger: string;
  expression: string;
  enabled: boolean;
}

export interface SubscriberItem {
  id: string;
  name: string;
  description: string;
  types: string[];
  template: string;
}

export interface BehaviourItem {
  name: string;
  description: string;
  source: string;
}

export interface Readiness {
  status?: string;
  details?: Record<string, { status?: string; warnings?: string[] }>;
}

/** A limit of runs with its bounds and defaults. */
export interface LimitItem {
  name: string;
  minimum: number;
  maximum: number;
  defaults: { diagnosis: number; chat: number };
}

/** How the whole service stands, over all processes. */
export interface ServiceStatus {
  now: string;
  openRuns: number;
  processes: {
    id: string;
    role: string;
    version: string;
    startedAt: string;
    seenAt: string;
    cpu: number;
    memoryBytes: number;
    followers: number;
    slots: Record<string, number>;
  }[];
  models: ModelStatus[];
  queues: QueueStatus[];
}

export interface ModelStatus {
  name: string;
  calls: number;
  waiting: number;
  startedInMinute: number;
  heldUntil: string | null;
  breaker: { state: 'closed' | 'open' | 'half-open'; failures: number; until: string | null };
}

/** Jobs of one role. `parked`: supervisors that hold no slot. */
export interface QueueStatus {
  queue: string;
  waiting: number;
  active: number;
  delayed: number;
  parked: number;
  waitingSince: string | null;
}
