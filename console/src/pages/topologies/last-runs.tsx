import { Link } from '@tanstack/react-router';
import { Ago } from '../../ui/ago.js';
import { duration } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import { useRuns } from '../runs/use-runs.js';

const SHOWN = 12;

/** The last diagnoses of a topology. */
export function LastRuns({ topologyId }: { topologyId: number }) {
  const { runs, query } = useRuns({ topology: topologyId });
  return (
    <section className="panel lastruns" aria-label="Last runs">
      <h2 className="h-small">Last runs</h2>
      <ul className="plain">
        {runs.slice(0, SHOWN).map(({ run, outcome }) => (
          <li key={run.runId}>
            <Link to="/runs/$runId" params={{ runId: run.runId }} className="rowlink">
              <Glyph state={outcome.state} size={14} />
              <span className="grow ellip">{outcome.text || run.userMessage}</span>
              <span className="mute">
                {duration(
                  (run.endedAt ? Date.parse(run.endedAt) : Date.now()) - Date.parse(run.createdAt),
                )}
              </span>
              <span className="mute">
                <Ago time={run.createdAt} />
              </span>
            </Link>
          </li>
        ))}
        {query.data && runs.length === 0 && <li className="mute">None yet</li>}
      </ul>
    </section>
  );
}
