import { LogTemplates } from '../../../src/engine/logs/log-templates.js';
import type { Observations, ObservedNode } from '../../../src/engine/observations.js';
import {
  quietUntilOf,
  type AlertRecord,
  type Change,
  type KubernetesObject,
  type LogRecord,
  type Series,
  type StatusDocument,
} from '../../../src/domain/telemetry/records.js';
import { objectsByNode } from '../../../src/domain/kubernetes/workload.js';

const MINUTE = 60_000;
const START = Date.parse('2026-03-02T10:00:00Z');
const MINUTES = 60;
/** The failure begins in this minute, and is reported in that one. */
export const ONSET = 40;
const REPORTED = 48;

const at = (minute: number): number => START + minute * MINUTE;

/** What was recorded of an incident, a part at a time. */
export interface Part {
  series?: Series;
  log?: LogRecord;
  alert?: AlertRecord;
  change?: Change;
  object?: KubernetesObject;
  status?: StatusDocument;
}

/** The same in every run; as uneven as a series of a real system, by two in a hundred. */
const ripple = (minute: number): number => 1 + 0.02 * Math.sin(minute * 2.3 + (minute % 7));

/** A series of a point each minute. */
export function metric(
  node: string,
  name: string,
  valueAt: (minute: number) => number,
  labels: Record<string, string> = {},
): Part {
  const minutes = Array.from({ length: MINUTES }, (_, i) => i);
  return {
    series: {
      name,
      node,
      labels: { service: node, ...labels },
      times: minutes.map(at),
      values: minutes.map(valueAt),
    },
  };
}

/** A gauge that steps at the onset. */
export const step = (
  node: string,
  name: string,
  [usual, now]: [number, number],
  labels: Record<string, string> = {},
): Part => metric(node, name, (minute) => (minute < ONSET ? usual : now) * ripple(minute), labels);

/** A gauge that grows steadily from a minute on. */
export const ramp = (
  node: string,
  name: string,
  [from, to]: [number, number],
  since = ONSET - 20,
): Part =>
  metric(
    node,
    name,
    (minute) =>
      from * (1 + 0.1 * (ripple(minute) - 1)) +
      (Math.max(0, minute - since) / (MINUTES - since)) * (to - from),
  );

/**
 * A counter that grows by so much a second before the onset and after it, and starts again from 0
 * in the tenth minute.
 */
export function counter(
  node: string,
  name: string,
  [usual, now]: [number, number],
  labels: Record<string, string> = {},
): Part {
  const grown = Array.from({ length: MINUTES }, (_, i) => (i < ONSET ? usual : now) * ripple(i));
  return metric(
    node,
    name,
    (minute) =>
      60 * grown.slice(minute < 10 ? 0 : 10, minute + 1).reduce((sum, each) => sum + each, 0) +
      (minute < 10 ? 1e6 : 0),
    labels,
  );
}

/** A log line, as its program writes it: its level stands in it. */
export const line = (node: string, body: string, minute = ONSET + 1): Part => ({
  log: { node, body, severity: '', at: at(minute), labels: { service: node } },
});

export const alert = (node: string, alertname: string, summary: string): Part => ({
  alert: { labels: { alertname, service: node }, annotations: { summary }, startsAt: at(REPORTED) },
});

/** A commit and, five minutes before the onset, its deploy. */
export function change(node: string, file: string, diff: string, message = 'Change it'): Part[] {
  const id = `${[...file].map((each) => each.charCodeAt(0).toString(16)).join('')}00000000`.slice(
    0,
    12,
  );
  return [
    {
      change: {
        kind: 'commit',
        at: at(20),
        id,
        message,
        files: [file],
        diff: `--- a/${file}\n+++ b/${file}\n@@ -1,3 +1,3 @@\n${diff}`,
      },
    },
    { change: { kind: 'deploy', at: at(ONSET - 2), node, commit: id, version: id } },
  ];
}

const iso = (minute: number): string => new Date(at(minute)).toISOString();

/** A warning of a controller about a pod of a workload. */
export const event = (node: string, reason: string, message: string, minute = ONSET + 1): Part => ({
  object: {
    kind: 'Event',
    name: `${node}.17a`,
    namespace: 'shop',
    object: {
      type: 'Warning',
      reason,
      message,
      count: 7,
      involvedObject: { kind: 'Pod', namespace: 'shop', name: `${node}-6b8f9c5d7-x2x4z` },
      firstTimestamp: iso(minute),
      lastTimestamp: iso(minute + 3),
    },
  },
});

/** A pod of a workload whose only container has this status. */
export const pod = (
  node: string,
  container: Record<string, unknown>,
  conditions: object[] = [],
): Part => ({
  object: {
    kind: 'Pod',
    name: `${node}-6b8f9c5d7-x2x4z`,
    namespace: 'shop',
    object: {
      metadata: { name: `${node}-6b8f9c5d7-x2x4z`, namespace: 'shop', labels: { app: node } },
      status: { conditions, containerStatuses: [{ name: node, restartCount: 0, ...container }] },
    },
  },
});

/** An incident of the nodes of chains of calls, `web > orders > orders-db`. */
export function sceneOf(chains: string, ...parts: (Part | Part[])[]): Observations {
  const nodes = new Map<string, ObservedNode & { dependsOn: string[] }>();
  for (const chain of chains.split(';')) {
    const ids = chain.split('>').map((id) => id.trim());
    ids.forEach((id, i) => {
      const known = nodes.get(id) ?? { id, name: id, dependsOn: [] };
      nodes.set(id, known);
      const next = ids[i + 1];
      if (next !== undefined) known.dependsOn.push(next);
    });
  }
  const all = parts.flat();
  const pick = <Key extends keyof Part>(key: Key) =>
    all.flatMap((part) => (part[key] === undefined ? [] : [part[key] as NonNullable<Part[Key]>]));
  const frame = { start: at(0), now: at(MINUTES - 1), reportedAt: at(REPORTED) };
  const templates = new LogTemplates(quietUntilOf(frame));
  for (const { id } of nodes.values())
    for (let minute = 0; minute < MINUTES; minute += 3)
      templates.add({
        node: id,
        severity: '',
        at: at(minute),
        labels: { service: id },
        body: `level=info msg="request served" path=/v1/items status=200 took=${minute}ms`,
      });
  pick('log').forEach((record) => templates.add(record));
  const kubernetes = pick('object');
  return {
    frame,
    nodes: [...nodes.values()],
    alerts: pick('alert'),
    series: pick('series'),
    templates: pick('log').length > 0 ? templates.all() : [],
    patterns: [],
    spans: [],
    notes: new Map(),
    changes: pick('change'),
    status: pick('status'),
    recordings: [],
    kubernetes,
    kubernetesByNode: objectsByNode(kubernetes, new Map([...nodes.keys()].map((id) => [id, id]))),
  };
}
