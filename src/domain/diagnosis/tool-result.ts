import type { FailureKind } from './failure-kind.js';
import type { Severity, Symptom } from './finding.js';
import type { JsonObject } from '../../lib/json.js';
import type { TopologyNode, TopologySource } from '../topology/topology.js';

/** A fault that a tool measured at its target: it becomes a finding. */
export interface Issue {
  severity: Severity;
  symptom: Symptom;
  /** One line, without the node's name: "answers 502 Bad Gateway". */
  title: string;
  /** What was measured and what was expected, in one or two sentences. */
  detail: string;
  /** If the issue rests on a duration or a time-out: its length, or the time waited. */
  duration_ms?: number;
  /**
   * Time until the target showed this, if the issue does not rest on that: 0 if nothing was waited
   * for.
   */
  took_ms?: number;
  /** For a time-out: how often this time was waited for; default once. */
  waits?: number;
  /** If that was too long: the maximum duration that is acceptable. */
  limit_ms?: number;
  /** The kind of failure, if the tool knows it. */
  kind?: FailureKind;
  /**
   * The entry of the catalogue of next steps, if the tool knows more than the kind:
   * `replication-slot`.
   */
  steps?: string;
  /**
   * The affected part of the node, as commands name it: a session, a replication slot, a file of
   * rules, parts of a service.
   */
  part?: string;
  /** Some of the tries failed in this way, and others did not fail. */
  intermittent?: true;
  /** The HTTP status that the target returned, if that is the issue. */
  http_status?: number;
  /** The affected object of Kubernetes: `shop/Deployment/orders`, `Node/worker-1`. */
  object?: string;
  /** Nothing was measured except that an alert fires. */
  alert?: true;
}

/** A statement of the target's answer about another node: evidence for the edge between them. */
export interface Mention {
  /** Id of the other node. */
  node: string;
  /** The name in the answer: `host:port`, or a host name that no other node has. */
  endpoint: string;
  /** The text around it, one line. */
  failure: string;
  /** The failure that this text states, if that is clear. */
  symptom?: Symptom;
}

/** A measurement that has not passed its threshold but is within a tenth of it. */
export interface NearThreshold {
  metric: string;
  value: number;
  threshold: number;
}

/** The threshold that a tool compared a measured value with. */
export interface Threshold {
  metric: string;
  /** The maximum, or the minimum, value that is not an issue. */
  most?: number;
  least?: number;
}

/** One of several tries of a probe, in the order in which they were made. */
export interface ProbeSample {
  /** How long it took; absent if nothing answered. */
  ms?: number;
  /** The HTTP status that it got. */
  status?: number;
  /** Why it failed. */
  error?: string;
}

/**
 * What a tool returns, and the `result` of `llm.tool_result`. A dead target is a result like any
 * other (`status: "failed"`); a tool throws only if it could not do its work.
 */
export interface ToolResult {
  /** `ok` nothing wrong; `degraded` works, but there is a warning; `failed` does not do its job. */
  status: 'ok' | 'degraded' | 'failed';
  /** One line for a person: "answered 200 in 12 ms (median of 3)". */
  summary: string;
  /** The measured numbers and texts; units in the names (`latency_ms`, `used_bytes`). */
  measurements: JsonObject;
  issues: Issue[];
  near?: NearThreshold[];
  thresholds?: Threshold[];
  samples?: ProbeSample[];
  /** Other nodes that a failing answer names. */
  mentions?: Mention[];
  /**
   * This process was too short of processor time to measure durations; no issue above `info` rests
   * on one.
   */
  unreliable?: true;
  /**
   * The measurement is partial, for example only that the target answers: earlier issues of the
   * rest remain valid.
   */
  partial?: true;
  /**
   * What the credential may not read of the target, and the missing right: a sentence. A node
   * without an issue is unchecked if it has this.
   */
  hidden?: string;
  /**
   * The part of the target's answer that was not read although it is judged, and why: a sentence.
   * The same applies as for `hidden`.
   */
  not_read?: string;
}

/**
 * What a result of a tool shows about its node. Contract section 6. `service`: whether the node
 * does its work; `transport`: only whether a connection, a name or a certificate works, and nothing
 * about the service behind it; `records`: what was recorded about the node, without a judgement;
 * `system`: something about the whole system, whatever node the call names.
 */
export const MEASURES = ['service', 'transport', 'records', 'system'] as const;
export type Measures = (typeof MEASURES)[number];

/** The properties of a tool that the check and the derivation of a topology need. */
export interface ToolFacts {
  name: string;
  /**
   * Who calls it: workers, for their node (default), or the agent at the top: for the whole
   * topology, or for a node that it wants to repair.
   */
  scope?: 'node' | 'topology' | 'repair';
  appliesTo(node: TopologyNode, sources?: readonly TopologySource[]): boolean;
  /** Attributes of nodes that it reads, beside those of docs/topologies.md. */
  attributes?: readonly string[];
  /**
   * The attributes among them that a node does not have, and without which the tool is not part of
   * a first look there.
   */
  lacks?(node: Pick<TopologyNode, 'attributes'>): string[];
}
