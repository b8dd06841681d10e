import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { isNotThere } from '../../api/http.js';
import { topologyQuery } from '../../api/queries.js';
import { fieldsOf, textOf } from '../../model/read.js';
import { reportHealth } from '../../model/report-health.js';
import type { FailurePath } from '../../model/view/path-at.js';
import type { GraphNode } from '../../run/graph/graph-node.js';
import { TopologyGraph } from '../../run/graph/topology-graph.js';
import { NO_FOCUS } from '../../run/graph/viewport.js';
import { AllowedLink } from '../../ui/allowed-link.js';
import { DeadEnd } from '../../ui/dead-end.js';
import { Ago } from '../../ui/ago.js';
import { Icon } from '../../ui/icon.js';
import { ListError } from '../../ui/list-error.js';
import { EditorPanel } from './editor-panel.js';
import { LeaveGuard } from './leave-guard.js';
import { LastRuns } from './last-runs.js';
import { nodesIn, textOfTopology } from './topology-text.js';
import { Versions } from './versions.js';
import { useLastReport } from './use-last-report.js';
import { useTopologyDraft } from './use-topology-draft.js';

const route = getRouteApi('/topologies/$id');
const NO_PATH: FailurePath = { edges: new Set(), against: new Set(), nodes: new Set() };

export function TopologyPage() {
  const { id } = route.useParams();
  return <TopologyEditor key={id} id={id} />;
}

/**
 * A topology: its graph, its last runs and its text, side by side. The graph follows the text while
 * it is YAML.
 */
function TopologyEditor({ id }: { id: string }) {
  const isNew = id === 'new';
  const navigate = useNavigate();
  const query = useQuery({ ...topologyQuery(id), enabled: !isNew });
  const { data: stored, error } = query;
  const draft = useTopologyDraft(stored, isNew, (saved) => {
    const params = { id: String(saved) };
    if (isNew) void navigate({ to: '/topologies/$id', params, ignoreBlocker: true });
  });
  const last = useLastReport(isNew ? undefined : Number(id));
  const [narrow, setNarrow] = useState<'graph' | 'yaml'>(isNew ? 'yaml' : 'graph');
  const nodes = useDrawable(draft.value);
  if (isNotThere(error))
    return (
      <DeadEnd
        title={`There is no topology ${id}`}
        text="It may have been deleted, or belong to another tenant."
        code={error.code}
        way={{ to: '/topologies', label: 'All topologies' }}
      />
    );
  return (
    <main className="pad topo" id="main" tabIndex={-1}>
      <LeaveGuard unsaved={draft.unsaved} />
      <header className="pagehead">
        <Link to="/topologies" className="crumb">
          Topologies
        </Link>
        <Icon name="right" size={12} />
        <h1>{textOf(fieldsOf(draft.value)['name'], stored?.name ?? 'New topology')}</h1>
        {stored && (
          <Versions
            stored={stored}
            onPick={(topology) => draft.setText(textOfTopology(topology))}
          />
        )}
        <span className="grow" />
        <div className="seg only-narrow">
          {(['graph', 'yaml'] as const).map((part) => (
            <button
              key={part}
              aria-pressed={narrow === part}
              className={narrow === part ? 'is-on' : ''}
              onClick={() => setNarrow(part)}
            >
              {part === 'graph' ? 'Graph' : 'YAML'}
            </button>
          ))}
        </div>
        {stored && (
          <AllowedLink
            action="runs:start"
            to="/diagnose"
            search={{ topology: stored.id }}
            className="btn btn-accent"
          >
            <Icon name="spark" size={14} />
            Diagnose
          </AllowedLink>
        )}
      </header>
      <ListError query={query} />
      <div className={`topogrid mode-${narrow}`}>
        <div className="topo-left">
          <section className="panel panel-graph" aria-label="Graph">
            <Graph
              nodes={nodes}
              healthOf={(node) => reportHealth(last?.report, node)}
              focus={last?.report?.root_causes.map((cause) => cause.node) ?? []}
            />
            <p className="graph-note mute">
              {last === null && 'Not diagnosed yet'}
              {last && (
                <>
                  Coloured by the last diagnosis, <Ago time={last.createdAt} />
                </>
              )}
            </p>
          </section>
          {stored && <LastRuns topologyId={stored.id} />}
        </div>
        <EditorPanel draft={draft} name={isNew ? 'new topology' : `topology ${id}`} />
      </div>
    </main>
  );
}

/** The nodes of the text; while it cannot be read, those of before. */
function useDrawable(value: unknown): GraphNode[] {
  const before = useRef<GraphNode[]>([]);
  const nodes = useMemo(() => nodesIn(value), [value]);
  if (nodes.length > 0) before.current = nodes;
  return before.current;
}

interface GraphProps {
  nodes: GraphNode[];
  healthOf: (id: string) => ReturnType<typeof reportHealth>;
  focus: readonly string[];
}

function Graph({ nodes, healthOf, focus }: GraphProps) {
  const [picked, setPicked] = useState<string | null>(null);
  return (
    <TopologyGraph
      nodes={nodes}
      healthOf={healthOf}
      stateOf={(id) => ({
        health: healthOf(id),
        fact: nodes.find((node) => node.id === id)?.kind ?? '',
        examiner: null,
        busy: false,
      })}
      path={NO_PATH}
      picked={picked}
      onPick={setPicked}
      focus={{ ...NO_FOCUS, always: focus }}
    />
  );
}
