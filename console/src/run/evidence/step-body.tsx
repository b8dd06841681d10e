import type { LogEvent } from '../../model/types.js';
import { DispatchBody, EndBody, ReportBody } from './dispatch-body.js';
import { TurnBody } from './turn-body.js';

/** A step of an agent or of the run: a turn of its model, a dispatch, a report, the end. */
export function StepBody({ event }: { event: LogEvent }) {
  switch (event.name) {
    case 'llm.stream':
    case 'llm.reasoning':
    case 'llm.usage':
      return <TurnBody event={event} />;
    case 'dispatch.team':
    case 'dispatch.worker':
      return <DispatchBody event={event} />;
    case 'dispatch.report':
      return <ReportBody event={event} />;
    default:
      return <EndBody event={event} />;
  }
}
