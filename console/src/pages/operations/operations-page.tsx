import { useQuery } from '@tanstack/react-query';
import { isStoreAway } from '../../api/http.js';
import { metricsQuery, readinessQuery, statusQuery } from '../../api/queries.js';
import { number } from '../../model/number.js';
import { bytes, clock } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { useNow } from '../../ui/use-now.js';
import { ProcessesPanel } from './processes-panel.js';
import { ModelsPanel, StorePanel, ToolsPanel } from './panels.js';
import { QueuesPanel } from './queues-panel.js';
import { oldSince, Seen } from './seen.js';
import { Sparkline } from './sparkline.js';
import { useSamples, type Figures } from './use-samples.js';

/** Whose figure it is: that of the process that answers, or of the whole service. */
type Of = 'process' | 'service';

const FIGURES: [string, (figures: Figures) => number, (value: number) => string, string, Of][] = [
  ['Open runs', ({ openRuns }) => openRuns, number, 'of all processes', 'service'],
  ['Agents at work', ({ active }) => active, number, 'of all processes', 'service'],
  [
    'Processor',
    ({ cpu }) => cpu * 100,
    (value) => `${Math.round(value)} %`,
    'of one core, this process',
    'process',
  ],
  ['Memory', ({ memoryBytes }) => memoryBytes, bytes, 'resident, this process', 'process'],
  [
    'Event loop p99',
    ({ lagMs }) => lagMs,
    (value) => `${Math.round(value)} ms`,
    'this process',
    'process',
  ],
];

const STATES = {
  asking: { glyph: 'queued', label: 'asking …' },
  ready: { glyph: 'healthy', label: 'ready' },
  'not ready': { glyph: 'failed', label: 'not ready' },
  away: { glyph: 'failed', label: 'does not answer' },
} as const;
/** What is known of the store then. */
const STORE = { asking: undefined, ready: 'up', 'not ready': 'down', away: undefined } as const;

interface ReadinessState {
  state: keyof typeof STATES;
  /** Why the service is not ready; else empty. */
  why: string;
  warnings: readonly string[];
}

/** Whether the service and its store work; until they have answered, that is not known. */
function useReadiness(now: number): ReadinessState {
  const { data, error, dataUpdatedAt } = useQuery(readinessQuery());
  if (isStoreAway(error)) return { state: 'not ready', why: error.message, warnings: [] };
  const isSilent = oldSince({ data, error, dataUpdatedAt }, now) !== null;
  if (error !== null || isSilent)
    return { state: 'away', why: error?.message ?? 'The service does not answer', warnings: [] };
  const warnings = data?.details?.['redis']?.warnings ?? [];
  return { state: data === undefined ? 'asking' : 'ready', why: '', warnings };
}

/** What runs, what waits, and what fails. */
export function OperationsPage() {
  const now = useNow(1_000);
  const metrics = useQuery(metricsQuery());
  const status = useQuery(statusQuery());
  const samples = useSamples(metrics.data, metrics.dataUpdatedAt, status.data);
  const { state, why, warnings } = useReadiness(now);
  const { glyph, label } = STATES[state];
  const old = { process: oldSince(metrics, now), service: oldSince(status, now) };
  const since = old.service ?? old.process;
  return (
    <main className="pad" id="main" tabIndex={-1}>
      <header className="pagehead">
        <h1>Operations</h1>
        <span className={`pill pill-${glyph}`} role="status">
          <Glyph state={glyph} size={12} />
          {label}
        </span>
      </header>
      {why !== '' && (
        <div className="banner banner-off" role="alert">
          <Icon name="x" size={14} />
          <p>
            <b>{why}.</b>
            {since !== null && ` Figures that are marked are of ${clock(since)}.`}
          </p>
        </div>
      )}
      <div className="opsgrid">
        {FIGURES.map(([name, read, write, whose, of]) => {
          // Before an answer a figure of the service is not zero, but not known.
          const last = of === 'process' || status.data ? samples.at(-1) : undefined;
          return (
            <section
              key={name}
              className={old[of] === null ? 'panel stat' : 'panel stat is-old'}
              aria-label={name}
            >
              <h2>
                {name} <Seen since={old[of]} />
              </h2>
              <b>{last ? write(read(last)) : '–'}</b>
              <small className="mute">{whose}</small>
              <Sparkline values={samples.map(read)} />
            </section>
          );
        })}
      </div>
      <QueuesPanel queues={status.data?.queues ?? []} since={old.service} />
      <ProcessesPanel status={status.data} since={old.service} />
      <div className="cols2">
        <ModelsPanel states={status.data?.models ?? []} since={old.service} />
        <div>
          <StorePanel redis={STORE[state]} warnings={warnings} />
          <ToolsPanel />
        </div>
      </div>
    </main>
  );
}
