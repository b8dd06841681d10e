import { lazy } from 'react';
import { toneOf } from '../../model/problem.js';
import type { LogEvent } from '../../model/types.js';
import { clock, offset } from '../../ui/format.js';
import { Disclosure } from '../../ui/disclosure.js';
import { Icon } from '../../ui/icon.js';
import { LazyPart, part } from '../../ui/lazy-part.js';
import { SystemCard } from '../../ui/system-card.js';
import { useRunView } from '../run-context.js';
import { EventJson } from './event-json.js';
import { ToolCallBody, ToolResultBody } from './tool-body.js';

/** Of events that no claim cites. */
const StepBody = lazy(
  part(() => import('./step-body.js').then((module) => ({ default: module.StepBody }))),
);

/** Everything about one event. */
export function EventDetail({ seq }: { seq: number }) {
  const { model, actions } = useRunView();
  const event = model.at(seq);
  if (!event) return null;
  const { source } = event;
  const data = event.data as { tool?: string; turn?: number; attempt?: number };
  return (
    <article className="event" aria-label={`Event ${seq}`}>
      <header className="event-head">
        <span className={`tonebar tone-${toneOf(event)}`} />
        <div>
          <h3>{data.tool ?? event.name}</h3>
          <p className="mute">
            #{seq} · {clock(event.time)} · {offset(event.time - model.startTime)} s
          </p>
        </div>
        <div className="event-step">
          <button
            className="btn btn-ghost btn-icon"
            disabled={seq <= 1}
            onClick={() => actions.pick(seq - 1)}
            aria-label="Previous event"
          >
            <Icon name="up" size={14} />
          </button>
          <button
            className="btn btn-ghost btn-icon"
            disabled={seq >= model.last}
            onClick={() => actions.pick(seq + 1)}
            aria-label="Next event"
          >
            <Icon name="down" size={14} />
          </button>
        </div>
      </header>
      {source && (
        <p className="byline">
          <span className={`who who-${source.agent_type}`} />
          {source.agent_name}
          <span className="mute">
            {source.team_name && ` · ${source.team_name}`}
            {data.turn !== undefined && ` · turn ${data.turn}`}
            {data.attempt !== undefined && data.attempt > 1 && `, attempt ${data.attempt}`}
          </span>
        </p>
      )}
      <Body event={event} />
      <Disclosure title="The event as it stands in the log">
        <EventJson event={event} />
      </Disclosure>
    </article>
  );
}

function Body({ event }: { event: LogEvent }) {
  switch (event.name) {
    case 'llm.tool_call':
      return <ToolCallBody event={event} />;
    case 'llm.tool_result':
      return <ToolResultBody event={event} />;
    case 'system.warning':
    case 'system.error':
    case 'system.approval':
    case 'system.decision':
      return <SystemCard name={event.name} data={event.data} />;
    default:
      return (
        <LazyPart>
          <StepBody event={event} />
        </LazyPart>
      );
  }
}
