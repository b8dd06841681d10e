import type { Report } from '../../../src/domain/diagnosis/finding.js';
import type { RunRecord } from '../../../src/client/index.js';

export type RunStatus = RunRecord['status'];

/** A run in a list. What is optional is missing where the service is older. */
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
  verdict?: string | null;
  partial?: boolean;
  reasons?: string[];
  headline?: string | null;
}

/** One run with its report. */
export interface RunDetail extends RunItem {
  partial: boolean;
  reasons: string[];
  error: { code: string; message: string } | null;
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
}

export interface ConversationItem {
  id: string;
  title: string | null;
  updatedAt: string;
}

export interface ConversationNode {
  id: string;
  parentId: string | null;
  runId: string;
  question: string;
  answer: string;
  status: string;
  partial: boolean;
}

export interface ConversationTree {
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
  details?: Record<string, { status?: string; message?: string; warnings?: string[] }>;
}
