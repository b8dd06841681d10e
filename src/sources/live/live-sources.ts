import type { Topology, TopologyNode } from '../../domain/topology/topology.js';
import type { TimeWindow } from '../../domain/telemetry/records.js';
import { SourceError } from '../http/source-error.js';
import type { SourceTarget } from '../http/source-targets.js';
import { argocdReader } from '../changes/argocd-reader.js';
import { githubReader } from '../changes/github-reader.js';
import { grafanaReader } from '../changes/grafana-reader.js';
import { ServedChanges, type ChangeReader } from '../changes/served-changes.js';
import { GitChanges, type GitRepository } from '../git/git-changes.js';
import { readRepository } from '../git/read-repository.js';
import { elasticsearchReader } from '../elasticsearch/elasticsearch-reader.js';
import { jaegerReader } from '../jaeger/jaeger-reader.js';
import { LiveKubernetes, LivePodLogs, LiveRollouts } from '../kubernetes/kubernetes-sources.js';
import { LiveCluster } from '../kubernetes/live-cluster.js';
import { UnlistedKubernetes } from '../kubernetes/unlisted-kubernetes.js';
import { type MachineLog, MachineLogs } from '../machine/machine-logs.js';
import { readMachineLog } from '../machine/read-machine-log.js';
import { lokiReader } from '../loki/loki-reader.js';
import { nodeNames } from '../node-names.js';
import { ChangeSource, LogSource, RecordingSource, StatusSource, TraceSource } from '../ports.js';
import type { SourceSet } from '../source-set.js';
import { tempoReader } from '../tempo/tempo-reader.js';
import { PrometheusMetrics, selectorsOf } from './prometheus-metrics.js';
import { accessTo, kafkaAccess } from './server-access.js';
import { JoinedChanges } from './joined-changes.js';
import { JoinedLogs } from './joined-logs.js';
import { serverOf } from './listed-server.js';
import { ServedLogs } from './served-logs.js';
import { ServedTraces } from './served-traces.js';
import type { SourceReach } from './source-reach.js';
import { findListed } from './find-listed.js';
import type { ListedHttp, ListedMachineLog, ListedServer } from './sources-file.js';

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
 * The live sources of a topology, for a diagnosis at `now`: the last hour, compared with the same
 * hour of the day before.
 * @param listed servers of SOURCES_FILE, for sources without an endpoint of their own
 * A source that has no endpoint and is not listed leaves the nodes that select from it unread.
 */
export function liveSources(
  { nodes, sources = [] }: Pick<Topology, 'nodes' | 'sources'>,
  listed: readonly ListedServer[],
  { now, start = now - HOUR, ...reach }: SourceReach & { now: number; start?: number },
): SourceSet {
  const baseline = { from: start - DAY, to: now - DAY };
  const targetsOf = (...kinds: ListedHttp['kind'][]) =>
    sources.flatMap((source) => {
      const kind = kinds.find((each) => each === source.kind);
      if (kind === undefined) return [];
      const server = attempt(() => serverOf({ ...source, kind }, listed, reach));
      return [{ id: source.id, server, selectors: selectorsOf(nodes, source.id), kind }];
    });
  const window = { from: start, to: now };
  const allClusters = sources.flatMap(({ id, kind }): (LiveCluster | UnlistedKubernetes)[] => {
    if (kind !== 'kubernetes') return [];
    const selectors = selectorsOf(nodes, id);
    const known = attempt(() => findListed({ id, kind }, listed));
    return known instanceof SourceError
      ? [new UnlistedKubernetes(id, selectors, known)]
      : [new LiveCluster(known, reach, selectors)];
  });
  const clusters = allClusters.filter((each) => each instanceof LiveCluster);
  const machineLogs = sources.flatMap(({ id, kind }) =>
    kind === 'journald' || kind === 'logfile' ? [machineLogOf({ id, kind }, nodes, listed)] : [],
  );
  const repositories = sources.flatMap(({ id, kind }) =>
    kind === 'git' ? [repositoryOf(id, nodes, listed)] : [],
  );
  return {
    frame: { start, now, baseline },
    alerts: [],
    metrics: new PrometheusMetrics(targetsOf('prometheus'), [baseline, window]),
    logs: logsOf(targetsOf('loki', 'elasticsearch'), machineLogs, clusters, window),
    kubernetes: allClusters.map((each) =>
      each instanceof LiveCluster ? new LiveKubernetes(each) : each,
    ),
    changes: changesOf(
      { targets: targetsOf('github', 'argocd', 'grafana'), repositories, clusters },
      { from: baseline.from, to: now },
    ),
    accessOf: accessTo(sources, listed, reach),
    kafkaOf: kafkaAccess(sources, listed, reach),
    httpOf: ({ in: own }, kind) => {
      const source = sources.find((each) => each.kind === kind && own?.[each.id] !== undefined);
      const selector = own?.[source?.id ?? ''];
      if (source === undefined || selector === undefined) return undefined;
      const { id } = source;
      return { id, server: serverOf({ id, kind }, listed, reach), selector };
    },
    traces: tracesOf(targetsOf('tempo', 'jaeger'), { window, baseline }, nodes),
    status: new NoStatus(),
    recordings: new NoRecordings(),
  };
}

interface KindOfTarget extends SourceTarget {
  kind: ListedHttp['kind'];
}

/** Logs of servers and of the machine, and of pods if their nodes have neither. */
function logsOf(
  targets: readonly KindOfTarget[],
  machineLogs: readonly MachineLog[],
  clusters: readonly LiveCluster[],
  window: TimeWindow,
): LogSource {
  const withReader = (target: KindOfTarget) => ({
    ...target,
    ...(target.kind === 'loki' ? lokiReader : elasticsearchReader),
  });
  const others = [...targets, ...machineLogs];
  const served = new Set(others.flatMap(({ selectors }) => [...selectors.keys()]));
  const all = [
    ...(targets.length > 0 ? [new ServedLogs(targets.map(withReader), window)] : []),
    ...(machineLogs.length > 0 ? [new MachineLogs(machineLogs, window)] : []),
    ...(clusters.length > 0 ? [new LivePodLogs(clusters, served)] : []),
  ];
  const [first = new NoLogs(), second] = all;
  return second === undefined ? first : new JoinedLogs(all);
}

function machineLogOf(
  { id, kind }: { id: string; kind: ListedMachineLog['kind'] },
  nodes: readonly TopologyNode[],
  listed: readonly ListedServer[],
): MachineLog {
  return {
    id,
    selectors: selectorsOf(nodes, id),
    read: async (question, signal) =>
      readMachineLog(findListed({ id, kind }, listed), question, signal),
  };
}

function repositoryOf(
  id: string,
  nodes: readonly TopologyNode[],
  listed: readonly ListedServer[],
): GitRepository {
  return {
    id,
    selectors: selectorsOf(nodes, id),
    read: async (question, signal) =>
      readRepository(findListed({ id, kind: 'git' }, listed), question, signal),
  };
}

const CHANGE_READERS: Partial<Record<ListedHttp['kind'], ChangeReader>> = {
  github: githubReader,
  argocd: argocdReader,
  grafana: grafanaReader,
};

interface OriginsOfChanges {
  targets: readonly KindOfTarget[];
  repositories: readonly GitRepository[];
  clusters: readonly LiveCluster[];
}

function changesOf(
  { targets, repositories, clusters }: OriginsOfChanges,
  window: TimeWindow,
): ChangeSource {
  const served = targets.flatMap((target) => {
    const reader = CHANGE_READERS[target.kind];
    return reader ? [{ ...target, ...reader }] : [];
  });
  const all = [
    ...(served.length > 0 ? [new ServedChanges(served, window)] : []),
    ...(repositories.length > 0 ? [new GitChanges(repositories, window)] : []),
    ...(clusters.length > 0 ? [new LiveRollouts(clusters)] : []),
  ];
  const [first = new NoChanges(), ...others] = all;
  return others.length === 0 ? first : new JoinedChanges(all);
}

function tracesOf(
  targets: readonly KindOfTarget[],
  times: { window: TimeWindow; baseline: TimeWindow },
  nodes: readonly TopologyNode[],
): TraceSource {
  if (targets.length === 0) return new NoTraces();
  const readers = targets.map((target) => ({
    ...target,
    ...(target.kind === 'tempo' ? tempoReader : jaegerReader),
  }));
  return new ServedTraces(readers, times, nodeNames(nodes));
}

/** The result, or the error of a source that is not listed. */
function attempt<Result>(find: () => Result): Result | SourceError {
  try {
    return find();
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
}
