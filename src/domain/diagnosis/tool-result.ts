import type { FailureKind } from './failure-kind.js';
import type { Severity, Symptom } from './finding.js';
import type { JsonObject } from '../../lib/json.js';
import type { TopologyNode, TopologySource } from '../topology/topology.js';

/** Something wrong that a tool measured at its target: a finding is made of it. */
export interface Issue {
  severity: Severity;
  symptom: Symptom;
  /** One line, without the node's name: "answers 502 Bad Gateway". */
  title: string;
  /** What was measured and what was expected, in a sentence or two. */
  detail: string;
  /** If the issue rests on a duration or a time-out: how long it took, or was waited for. */
  duration_ms?: number;
  /**
   * How long the target took until it showed this, where the issue does not rest on that: 0 if
   * nothing was waited for.
   */
  took_ms?: number;
  /** Of a time-out: how many times it was waited for so long; default once. */
  waits?: number;
  /** Where that was too long: the greatest duration that is not. */
  limit_ms?: number;
  /** The kind of failure, if the tool knows it. */
  kind?: FailureKind;
  /**
   * The entry of the catalogue of next steps, where the tool knows more than the kind:
   * `replication-slot`.
   */
  steps?: string;
  /**
   * The part of the node that it is about, as commands name it: a session, a replication slot, a
   * file of rules, parts of a service.
   */
  part?: string;
  /** Some of the tries failed so, and others did not fail. */
  intermittent?: true;
  /** The HTTP status that the target answered, if that is the issue. */
  http_status?: number;
  /** The object of Kubernetes that it is about: `shop/Deployment/orders`, `Node/worker-1`. */
  object?: string;
  /** Nothing was measured but that an alert fires. */
  alert?: true;
}

/** What an answer of the target says about another node: evidence for the edge between them. */
export interface Mention {
  /** Id of the other node. */
  node: string;
  /** How the answer names it: `host:port`, or a host name that no other node has. */
  endpoint: string;
  /** The words around it, one line. */
  failure: string;
  /** What those words say is wrong, if that is clear. */
  symptom?: Symptom;
}

/** A measurement that has not passed its threshold but is within a tenth of it. */
export interface NearThreshold {
  metric: string;
  value: number;
  threshold: number;
}

/** What a tool held a measured value against. */
export interface Threshold {
  metric: string;
  /** The greatest, or the least, value that is not an issue. */
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
 * What a tool returns, and the `result` of `llm.tool_result`. A target found dead is a result like
 * any other (`status: "failed"`); only a tool that could not do its work throws.
 */
export interface ToolResult {
  /** `ok` nothing wrong; `degraded` works, but there is a warning; `failed` does not do its job. */
  status: 'ok' | 'degraded' | 'failed';
  /** One line for a person: "answered 200 in 12 ms (median of 3)". */
  summary: string;
  /** The numbers and texts measured; units in the names (`latency_ms`, `used_bytes`). */
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
   * Only a part was measured, such as that the target answers: earlier issues of the rest still
   * stand.
   */
  partial?: true;
  /**
   * What the credential may not see of the target, and the right that it lacks: a sentence. A node
   * of which nothing wrong was measured is unchecked with it.
   */
  hidden?: string;
  /**
   * What was not read of the target's answer although it is to be judged, and why: a sentence. The
   * same holds as for `hidden`.
   */
  not_read?: string;
}

/**
 * What a result of a tool says about its node. Contract section 6. `service`: whether the node does
 * its work; `transport`: only whether a connection, a name or a certificate is there, and nothing
 * of the service behind it; `records`: what was recorded about the node, without a judgement;
 * `system`: something of the whole system, whatever node the call names.
 */
export const MEASURES = ['service', 'transport', 'records', 'system'] as const;
export type Measures = (typeof MEASURES)[number];

/** What the check and the derivation of a topology need to know of a tool. */
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
   * Those of them that a node does not have, and without which it is not part of a first look
   * there.
   */
  lacks?(node: Pick<TopologyNode, 'attributes'>): string[];
}
