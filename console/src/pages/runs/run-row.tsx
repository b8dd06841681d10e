import { Link } from '@tanstack/react-router';
import { ago, cost, duration, shortNumber } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import type { ListedRun } from './use-runs.js';

interface RunRowProps {
  listed: ListedRun;
  index: number;
  top: number;
  measure: (element: Element | null) => void;
  now: number;
  current: boolean;
  onEnter: (runId: string) => void;
}

/** One run: how it ended, what was found above what was asked. */
export function RunRow({ listed, index, top, measure, now, current, onEnter }: RunRowProps) {
  const { run, outcome } = listed;
  const began = Date.parse(run.createdAt);
  const took = (run.endedAt ? Date.parse(run.endedAt) : Math.max(now, began)) - began;
  return (
    <div
      ref={measure}
      data-index={index}
      className={`rrow${current ? ' is-cursor' : ''}${run.endedAt ? '' : ' is-live'}`}
      style={{ transform: `translateY(${top}px)` }}
      role="row"
      aria-rowindex={index + 2}
      onMouseEnter={() => onEnter(run.runId)}
    >
      <span role="cell" className={`routcome h-${outcome.state}`}>
        <Glyph state={outcome.state} size={15} />
        <span>{outcome.label}</span>
        {run.partial && (
          <span className="tag tag-warn" title={run.reasons.join(', ')}>
            partial
          </span>
        )}
      </span>
      <span role="cell" className="rwhat">
        <Link to="/runs/$runId" params={{ runId: run.runId }} className="rlink">
          {outcome.text || run.userMessage}
        </Link>
        {outcome.text ? (
          <small>{run.userMessage}</small>
        ) : (
          !run.endedAt && (
            <small className="rprogress">
              <i />
            </small>
          )
        )}
      </span>
      <span role="cell" className="rtopo">
        {run.topologyName ?? '–'}
      </span>
      <span role="cell" className="r mute" title={run.createdAt}>
        {ago(run.createdAt, now)}
      </span>
      <span role="cell" className="r">
        {duration(took)}
      </span>
      <span role="cell" className="r">
        {cost(run.usage?.cost)}
      </span>
      <span role="cell" className="r mute">
        {shortNumber(run.lastSequence)}
      </span>
    </div>
  );
}
