import type { NamedEvent } from '../../../../src/client/index.js';
import { isProblem } from '../problem.js';
import type { RunModel } from '../run-model.js';
import type { LogEvent } from '../types.js';
import { foldApproval, foldDecision } from './approvals.js';
import { foldDispatch, foldReport } from './dispatches.js';
import { foldEnd } from './ending.js';
import { foldText, foldUsage } from './model-calls.js';
import { foldNotice } from './notices.js';
import { foldToolCall, foldToolResult } from './tools.js';
import { foldTopology } from './topology.js';

/**
 * Takes the next event of a run. One that was there already, or that leaves a gap, is not taken.
 */
export function pushEvent(model: RunModel, event: NamedEvent): void {
  if (event.sequence !== model.last + 1) return;
  const read: LogEvent = { ...event, time: Date.parse(event.timestamp) };
  model.events.push(read);
  if (isProblem(read)) model.problems++;
  foldEvent(model, read);
}

/** Events of a later service, with names that are not known, change nothing. */
function foldEvent(model: RunModel, event: LogEvent): void {
  switch (event.name) {
    case 'lifecycle.started':
      model.started = event.data;
      return;
    case 'system.topology':
      return foldTopology(model, event);
    case 'dispatch.team':
    case 'dispatch.worker':
      return foldDispatch(model, event);
    case 'dispatch.report':
      return foldReport(model, event);
    case 'llm.reasoning':
    case 'llm.stream':
      return foldText(model, event);
    case 'llm.usage':
      return foldUsage(model, event);
    case 'llm.tool_call':
      return foldToolCall(model, event);
    case 'llm.tool_result':
      return foldToolResult(model, event);
    case 'system.warning':
    case 'system.error':
      return foldNotice(model, event);
    case 'system.approval':
      return foldApproval(model, event);
    case 'system.decision':
      return foldDecision(model, event);
    case 'lifecycle.completed':
    case 'lifecycle.failed':
    case 'lifecycle.cancelled':
      return foldEnd(model, event);
  }
}
