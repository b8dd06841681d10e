import { useQuery } from '@tanstack/react-query';
import { runQuery } from '../api/queries.js';
import { outcomeOf } from '../pages/runs/outcome.js';
import { DeadEnd } from '../ui/dead-end.js';
import { ago } from '../ui/format.js';
import { Glyph } from '../ui/glyph.js';

/** A run whose log retention has removed: its report is still there. */
export function GonePage({ runId }: { runId: string }) {
  const { data: run } = useQuery(runQuery(runId));
  return (
    <DeadEnd
      title="The log of this run is no longer kept"
      text="Its report is. Logs are dropped after a while; an archive folder keeps them for good."
      code="RUN_EXPIRED"
      icon="clock"
    >
      {run && (
        <div className="panel gone-report">
          <p className="facts">
            <Glyph state={outcomeOf(run).state} />
            <b>{outcomeOf(run).label}</b>
            <span className="mute">
              {run.topologyName}, {ago(run.createdAt)}
            </span>
          </p>
          <p>{run.report?.headline ?? run.summary}</p>
          <ul>
            {run.report?.root_causes.map(({ node, title, confidence }) => (
              <li key={`${node} ${title}`}>
                <b>Root cause:</b> {title} ({Math.round(confidence * 100)} % sure)
              </li>
            ))}
            {run.report?.findings.map(({ node, title }) => (
              <li key={`${node} ${title}`}>
                <b>{node}</b> {title}
              </li>
            ))}
            {run.report?.unchecked.map(({ node, reason }) => (
              <li key={`${node} ${reason}`}>
                <b>{node}</b> unchecked: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
    </DeadEnd>
  );
}
