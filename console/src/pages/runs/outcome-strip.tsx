import { Link } from '@tanstack/react-router';
import { ago, duration } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import type { GlyphState } from '../../ui/glyph-state.js';
import type { ListedRun } from './use-runs.js';

const SHOWN = 60;
const SUMMED: [GlyphState, string][] = [
  ['root', 'root cause'],
  ['warning', 'issues'],
  ['ok', 'healthy'],
  ['failed', 'failed'],
];
/** Shown if there are any. */
const SELDOM: [GlyphState, string][] = [
  ['inconclusive', 'inconclusive'],
  ['cancelled', 'cancelled'],
];

const tookOf = ({ run }: ListedRun, now: number): number =>
  (run.endedAt ? Date.parse(run.endedAt) : now) - Date.parse(run.createdAt);

interface OutcomeStripProps {
  runs: readonly ListedRun[];
  /** Whether a list has been read. */
  isKnown: boolean;
  now: number;
}

/**
 * How the last runs ended, oldest first, their height by the time they took; and how many of each
 * kind.
 */
export function OutcomeStrip({ runs, isKnown, now }: OutcomeStripProps) {
  const shown = runs.slice(0, SHOWN).reverse();
  const longest = Math.max(1, ...shown.map((listed) => tookOf(listed, now)));
  const countOf = (state: GlyphState): number =>
    runs.filter(({ outcome }) => outcome.state === state).length;
  return (
    <section className="strip" aria-label="The last runs">
      <div className="strip-bars">
        {shown.map((listed) => {
          const { run, outcome } = listed;
          const took = tookOf(listed, now);
          const title = `${outcome.label}: ${outcome.text || run.userMessage}, ${ago(run.createdAt, now)}, ${duration(took)}`;
          return (
            <Link
              key={run.runId}
              to="/runs/$runId"
              params={{ runId: run.runId }}
              className={`strip-bar h-${outcome.state}`}
              title={title}
              aria-hidden="true"
              tabIndex={-1}
            >
              <i style={{ height: `${Math.max(12, Math.sqrt(took / longest) * 100)}%` }} />
            </Link>
          );
        })}
      </div>
      <dl className="strip-sum">
        {[...SUMMED, ...SELDOM.filter(([state]) => countOf(state) > 0)].map(([state, label]) => (
          <div key={state}>
            <dt>
              <Glyph state={state} size={12} /> {label}
            </dt>
            <dd>{isKnown ? countOf(state) : '–'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
