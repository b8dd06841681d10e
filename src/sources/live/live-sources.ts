import type { Topology } from '../../domain/topology/topology.js';
import type { SourceServer } from '../http/source-server.js';
import { LiveKubernetes, LivePodLogs, LiveRollouts } from '../kubernetes/kubernetes-sources.js';
import { LiveCluster } from '../kubernetes/live-cluster.js';
import {
  ChangeSource,
  KubernetesSource,
  LogSource,
  RecordingSource,
  StatusSource,
  TraceSource,
} from '../ports.js';
import type { SourceSet } from '../source-set.js';
import { PrometheusMetrics, selectorsOf } from './prometheus-metrics.js';
import { accessTo } from './server-access.js';
import type { SourceReach } from './source-reach.js';
import { authorizationOf, type ListedKubernetes, type ListedServer } from './sources-file.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const none = (what: string) => ({ kind: 'not_recorded' as const, reason: `no source has ${what}` });

class NoLogs extends LogSource {
  records() {
    return none('logs');
  }
  patterns() {
    return none('log patterns');
  }
}
class NoTraces extends TraceSource {
  spans() {
    return none('traces');
  }
}
class NoChanges extends ChangeSource {
  changes() {
    return none('changes');
  }
}
class NoKubernetes extends KubernetesSource {
  objects() {
    return none('Kubernetes objects');
  }
  lists() {
    return Promise.resolve({ refused: [], incomplete: false });
  }
}
class NoStatus extends StatusSource {
  documents() {
    return none('status pages');
  }
}
class NoRecordings extends RecordingSource {
  answers() {
    return none('answers of other tools');
  }
}

/**
 * The live sources of a topology, for a diagnosis at `now`: the last hour, compared with the same hour of the day before.
 * @param listed servers of SOURCES_FILE, for sources without an endpoint of their own
 * @throws where a source has no endpoint and is not listed
 */
export function liveSources(
  { nodes, sources = [] }: Pick<Topology, 'nodes' | 'sources'>,
  listed: readonly ListedServer[],
  { now, start = now - HOUR, ...reach }: SourceReach & { now: number; start?: number },
): SourceSet {
  const baseline = { from: start - DAY, to: now - DAY };
  const targets = sources.flatMap((source) =>
    source.kind === 'prometheus'
      ? [{ server: serverOf(source, listed, reach), selectors: selectorsOf(nodes, source.id) }]
      : [],
  );
  const clusters = sources.flatMap(({ id, kind }) =>
    kind === 'kubernetes'
      ? [new LiveCluster(clusterOf(id, listed), reach, selectorsOf(nodes, id))]
      : [],
  );
  return {
    frame: { start, now, baseline },
    alerts: [],
    metrics: new PrometheusMetrics(targets, [baseline, { from: start, to: now }]),
    ...(clusters.length > 0
      ? {
          ...{ kubernetes: new LiveKubernetes(clusters), logs: new LivePodLogs(clusters) },
          changes: new LiveRollouts(clusters),
        }
      : { kubernetes: new NoKubernetes(), logs: new NoLogs(), changes: new NoChanges() }),
    accessOf: accessTo(sources, listed, reach),
    ...{ traces: new NoTraces(), status: new NoStatus(), recordings: new NoRecordings() },
  };
}

function clusterOf(id: string, listed: readonly ListedServer[]): ListedKubernetes {
  const known = listed.find((each) => each.id === id);
  if (known?.kind === 'kubernetes') return known;
  throw new Error(`SOURCES_FILE lists no kubernetes source ${id}`);
}

/** An endpoint of the topology never gets the credentials of a listed server. */
export function serverOf(
  { id, endpoint }: { id: string; endpoint?: string },
  listed: readonly ListedServer[],
  { egress, secretOf }: SourceReach,
): SourceServer {
  if (endpoint !== undefined) return { endpoint, egress };
  const known = listed.find((each) => each.id === id);
  if (known?.kind !== 'prometheus')
    throw new Error(`source ${id} has no endpoint, and SOURCES_FILE does not list it`);
  const authorization = authorizationOf(known, secretOf);
  return { endpoint: known.endpoint, egress, ...(authorization && { authorization }) };
}
