import { useQuery } from '@tanstack/react-query';
import { topologyQuery } from '../../api/queries.js';
import { reportHealth } from '../../model/report-health.js';
import { MiniGraph } from '../../run/graph/mini-graph.js';
import { Ago } from '../../ui/ago.js';
import { Glyph } from '../../ui/glyph.js';
import { outcomeOf } from '../runs/outcome.js';
import { graphNodesOf, useLastReport } from '../topologies/use-last-report.js';

const GRAPH = { width: 420, height: 150 };

/** The topology that is to be diagnosed, with its last health. */
export function Chosen({ topologyId }: { topologyId: number }) {
  const { data: topology } = useQuery(topologyQuery(topologyId));
  const last = useLastReport(topologyId);
  const outcome = last && outcomeOf(last);
  return (
    <section className="panel chosen" aria-label="The chosen topology">
      <div className="chosen-graph">
        <MiniGraph
          nodes={graphNodesOf(topology)}
          healthOf={(node) => reportHealth(last?.report, node)}
          {...GRAPH}
        />
      </div>
      <div className="chosen-facts">
        <p>{topology?.description}</p>
        {outcome ? (
          <p className="facts">
            <Glyph state={outcome.state} />
            <span>
              Last: {outcome.label}, <Ago time={last.createdAt} />
            </span>
          </p>
        ) : (
          last === null && <p className="mute">Never diagnosed</p>
        )}
        {topology && (
          <p className="mute">
            version {topology.version}, changed <Ago time={topology.updatedAt} />
          </p>
        )}
      </div>
    </section>
  );
}
