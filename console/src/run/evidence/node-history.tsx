import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { runQuery, runsQuery } from '../../api/queries.js';
import { reportHealth, reportWhy } from '../../model/report-health.js';
import { ago } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import { HEALTH_WORDS } from '../../ui/words.js';
import { useRunView } from '../run-context.js';

const SHOWN = 12;

/**
 * How a node fared in the last diagnoses of its topology, oldest first; each opens at that node.
 */
export function NodeHistory({ topologyId, node }: { topologyId: number; node: string }) {
  const { store } = useRunView();
  const filter = { topologyId, kind: 'diagnosis', status: 'completed', limit: SHOWN };
  const runs = useQuery(runsQuery(filter)).data?.items ?? [];
  const details = useQueries({ queries: runs.map(({ runId }) => runQuery(runId)) });
  const known = details.flatMap(({ data }) => (data?.report ? [data] : [])).reverse();
  if (known.length < 2) return null;
  return (
    <>
      <h4>In the last diagnoses</h4>
      <p className="lastdots">
        {known.map(({ runId, createdAt, report }) => {
          if (!report) return null;
          const health = reportHealth(report, node);
          const why = reportWhy(report, node);
          const here = runId === store.runId;
          return (
            <Link
              key={runId}
              to="/runs/$runId"
              params={{ runId }}
              search={{ node }}
              className={here ? 'is-here' : ''}
              title={`${ago(createdAt)}: ${why}`}
              aria-label={`${ago(createdAt)}: ${HEALTH_WORDS[health]}, ${why}${here ? ' (this run)' : ''}`}
            >
              <Glyph state={health} size={16} />
            </Link>
          );
        })}
      </p>
    </>
  );
}
