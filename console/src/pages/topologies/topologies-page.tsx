import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { topologiesQuery, topologyQuery } from '../../api/queries.js';
import type { TopologyItem } from '../../api/types.js';
import { reportHealth } from '../../model/report-health.js';
import { MiniGraph } from '../../run/graph/mini-graph.js';
import { count } from '../../model/number.js';
import { AllowedLink } from '../../ui/allowed-link.js';
import { Ago } from '../../ui/ago.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { ListError } from '../../ui/list-error.js';
import { Skeleton } from '../../ui/skeleton.js';
import { outcomeOf } from '../runs/outcome.js';
import { graphNodesOf, useLastReport } from './use-last-report.js';

/** All topologies, each in the colours of its last report. */
export function TopologiesPage() {
  const query = useQuery(topologiesQuery());
  const { data, isPending } = query;
  return (
    <main className="pad" id="main" tabIndex={-1}>
      <header className="pagehead">
        <h1>Topologies</h1>
        <span className="grow" />
        <AllowedLink
          action="topologies:write"
          to="/topologies/$id"
          params={{ id: 'new' }}
          className="btn btn-accent"
        >
          <Icon name="plus" size={15} />
          New
        </AllowedLink>
      </header>
      <ListError query={query} />
      {isPending && <Skeleton />}
      <div className="tiles">
        {data?.items.toReversed().map((topology) => (
          <Tile key={topology.id} topology={topology} />
        ))}
      </div>
      {data?.items.length === 0 && (
        <div className="emptybox">
          <Icon name="topology" size={30} />
          <h2>No topology yet</h2>
          <p className="mute">A topology says which nodes there are and what depends on what.</p>
          <AllowedLink
            action="topologies:write"
            to="/topologies/$id"
            params={{ id: 'new' }}
            className="btn btn-accent"
          >
            Write one
          </AllowedLink>
        </div>
      )}
    </main>
  );
}

const GRAPH = { width: 300, height: 110 };

function Tile({ topology }: { topology: TopologyItem }) {
  const { id, name, description, version, nodeCount, teamCount, agentCount } = topology;
  const full = useQuery(topologyQuery(id)).data;
  const last = useLastReport(id);
  const outcome = last && outcomeOf(last);
  return (
    <article className="tile panel">
      <Link to="/topologies/$id" params={{ id: String(id) }} className="tile-link">
        <div className="tile-graph">
          {full ? (
            <MiniGraph
              nodes={graphNodesOf(full)}
              healthOf={(node) => reportHealth(last?.report, node)}
              {...GRAPH}
            />
          ) : (
            <span className="skeleton skeleton-graph" />
          )}
        </div>
        <h2>{name}</h2>
        <p className="mute tile-desc">{description}</p>
      </Link>
      <p className="facts tile-foot">
        {outcome ? (
          <>
            <Glyph state={outcome.state} size={14} />
            <span className="ellip grow">{outcome.text || outcome.label}</span>
            <span className="mute">
              <Ago time={last.createdAt} />
            </span>
          </>
        ) : (
          last === null && <span className="mute">never diagnosed</span>
        )}
      </p>
      <p className="tile-meta mute">
        <span>{count(nodeCount, 'node')}</span>
        <span>{count(teamCount, 'team')}</span>
        <span>{count(agentCount, 'agent')}</span>
        <span>version {version}</span>
        <span className="grow" />
        <AllowedLink
          action="runs:start"
          to="/diagnose"
          search={{ topology: id }}
          className="btn btn-small"
        >
          Diagnose <span className="sr">{name}</span>
        </AllowedLink>
      </p>
    </article>
  );
}
