import { useQuery } from '@tanstack/react-query';
import { metricsQuery, readinessQuery, statusQuery } from '../../api/queries.js';
import { number } from '../../model/number.js';
import { bytes } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { ProcessesPanel } from './processes-panel.js';
import { ModelsPanel, StorePanel, ToolsPanel } from './panels.js';
import { QueuesPanel } from './queues-panel.js';
import { Sparkline } from './sparkline.js';
import { useSamples, type Figures } from './use-samples.js';

const FIGURES: [string, (figures: Figures) => number, (value: number) => string, string][] = [
  ['Open runs', ({ openRuns }) => openRuns, number, 'of all processes'],
  ['Agents at work', ({ active }) => active, number, 'of all processes'],
  [
    'Processor',
    ({ cpu }) => cpu * 100,
    (value) => `${Math.round(value)} %`,
    'of one core, this process',
  ],
  ['Memory', ({ memoryBytes }) => memoryBytes, bytes, 'resident, this process'],
  ['Event loop p99', ({ lagMs }) => lagMs, (value) => `${Math.round(value)} ms`, 'this process'],
];

/** Whether the service is ready; until it has answered, that is not known. */
function readinessOf(status: string | undefined, isDown: boolean) {
  if (isDown) return { glyph: 'failed', label: 'does not answer' } as const;
  if (status === undefined) return { glyph: 'queued', label: 'asking …' } as const;
  return status === 'ok'
    ? ({ glyph: 'healthy', label: 'ready' } as const)
    : ({ glyph: 'failed', label: 'not ready' } as const);
}

/** What runs, what waits, and what fails. */
export function OperationsPage() {
  const metrics = useQuery(metricsQuery());
  const readiness = useQuery(readinessQuery());
  const status = useQuery(statusQuery());
  const samples = useSamples(metrics.data, metrics.dataUpdatedAt, status.data);
  const down = metrics.error ?? readiness.error;
  const state = readinessOf(readiness.data?.status, down !== null);
  return (
    <main className="pad" id="main" tabIndex={-1}>
      <header className="pagehead">
        <h1>Operations</h1>
        <span className={`pill pill-${state.glyph}`} role="status">
          <Glyph state={state.glyph} size={12} />
          {state.label}
        </span>
      </header>
      {down && (
        <div className="banner banner-off" role="alert">
          <Icon name="x" size={14} />
          <p>
            <b>The service does not answer.</b> {down.message}. The figures are the last ones seen.
          </p>
        </div>
      )}
      <div className="opsgrid">
        {FIGURES.map(([label, read, write, of]) => {
          const last = samples.at(-1);
          return (
            <section key={label} className="panel stat" aria-label={label}>
              <h2>{label}</h2>
              <b>{last ? write(read(last)) : '–'}</b>
              <small className="mute">{of}</small>
              <Sparkline values={samples.map(read)} />
            </section>
          );
        })}
      </div>
      <QueuesPanel queues={status.data?.queues ?? []} />
      <ProcessesPanel status={status.data} />
      <div className="cols2">
        <ModelsPanel states={status.data?.models ?? []} />
        <div>
          <StorePanel readiness={readiness.data} />
          <ToolsPanel />
        </div>
      </div>
    </main>
  );
}
