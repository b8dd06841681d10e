import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { runQuery } from '../api/queries.js';
import type { RunDetail } from '../api/types.js';
import { reportModel } from '../model/report-model.js';
import { outcomeOf } from '../pages/runs/outcome.js';
import { DeadEnd } from '../ui/dead-end.js';
import { Ago } from '../ui/ago.js';
import { Glyph } from '../ui/glyph.js';
import { Icon } from '../ui/icon.js';
import { headlineAt } from './header/headline.js';
import { Conclusion } from './report/conclusion.js';
import { RunViewContext, type RunView } from './run-context.js';

const TITLE = 'The log of this run is no longer kept';
const WHY = 'Logs are deleted after some time; an archive folder keeps them permanently.';
const CODE = 'RUN_EXPIRED';

/** A run whose log retention has removed: its report is still there. */
export function GonePage({ runId, view }: { runId: string; view: RunView }) {
  const { data: run } = useQuery(runQuery(runId));
  if (!run) return <DeadEnd title={TITLE} text={WHY} code={CODE} icon="clock" />;
  return <ReportOnly run={run} view={view} />;
}

function ReportOnly({ run, view }: { run: RunDetail; view: RunView }) {
  const model = useMemo(() => reportModel(run), [run]);
  const { state, label } = outcomeOf(run);
  const shown: RunView = { ...view, model, at: null, seq: model.last, live: false };
  return (
    <RunViewContext value={shown}>
      <main className="pad gone" id="main" tabIndex={-1}>
        <p className="facts">
          <Glyph state={state} />
          <b>{label}</b>
          <span className="mute">
            {run.topologyName}, <Ago time={run.createdAt} />
          </span>
        </p>
        <h1>{headlineAt(model, model.last)}</h1>
        <p className="mute">{run.userMessage}</p>
        <section className="banner">
          <Icon name="clock" size={16} />
          <div>
            <h2>{TITLE}</h2>
            <p className="mute">
              This is its report. {WHY} <code>{CODE}</code>
            </p>
          </div>
          <Link to="/runs" className="btn btn-small">
            All runs
          </Link>
        </section>
        <div className="report">
          <Conclusion />
        </div>
      </main>
    </RunViewContext>
  );
}
