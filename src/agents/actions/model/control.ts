import type { OpenDispatch } from '../../../domain/blackboard.js';
import type { DraftEvent } from '../../../domain/events/event.js';
import type { JsonObject } from '../../../lib/json.js';
import { emitAgentEvent } from '../../notices/emit-agent-event.js';
import type { SessionDraft } from '../../runtime/agent-session.js';
import { checkArgs } from '../../runtime/check-args.js';
import {
  CONTROL_TOOLS,
  findTeam,
  findWorker,
  type ControlTool,
} from '../../runtime/control-tools.js';
import { dispatchFault } from './dispatch-limits.js';

interface ControlCall {
  id: string;
  tool: ControlTool;
  args: JsonObject;
}

/**
 * Handles a call of a control tool: ends the agent's work, or dispatches an agent. Changes the
 * draft.
 * @param events the event of a dispatch is added to them
 * @param sent the agents that were dispatched in this run, one entry a dispatch; the new one is
 *   added
 * @returns what is wrong with the call, for the model; null if it was handled
 */
export function control(
  draft: SessionDraft,
  call: ControlCall,
  events: DraftEvent[],
  sent: string[],
): string | null {
  const { role, spec, place } = draft;
  if (!role.tools(spec, place).some(({ name }) => name === call.tool))
    return `${call.tool} is not one of your tools.`;
  switch (call.tool) {
    case 'report':
      return report(draft, call.args);
    case 'dispatch_team':
      return dispatchTeam(draft, call, events, sent);
    case 'dispatch_worker':
      return dispatchWorker(draft, call, events, sent);
  }
}

function report({ board }: SessionDraft, args: JsonObject): string | null {
  const checked = checkArgs(CONTROL_TOOLS.report, args);
  if ('fault' in checked) return checked.fault;
  const { findings, ...rest } = checked.args;
  board.conclusion = {
    ...rest,
    findings: findings.map(({ symptom, ...f }) => (symptom === undefined ? f : { ...f, symptom })),
  };
  board.stop = true;
  return null;
}

function dispatchTeam(
  draft: SessionDraft,
  { id, args }: ControlCall,
  events: DraftEvent[],
  sent: string[],
): string | null {
  const { board, spec, source } = draft;
  const checked = checkArgs(CONTROL_TOOLS.dispatch_team, args);
  if ('fault' in checked) return checked.fault;
  const team = findTeam(spec.topology, checked.args.team);
  if ('fault' in team) return team.fault;
  if (board.waiting.some(({ agent_id }) => agent_id === team.agentId))
    return `Team ${team.name} is already at work: wait for its report.`;
  const fault = dispatchFault(spec.topology, sent, team);
  if (fault !== null) return fault;
  const { task } = checked.args;
  const dispatch_id = `d${++board.dispatches}`;
  const agent_id = team.agentId;
  events.push({
    name: 'dispatch.team',
    source,
    data: { team_name: team.name, task, dispatch_id, agent_id },
  });
  waitFor(draft, { dispatch_id, call_id: id, tool: 'dispatch_team', agent_id, task }, sent);
  return null;
}

function dispatchWorker(
  draft: SessionDraft,
  { id, args }: ControlCall,
  events: DraftEvent[],
  sent: string[],
): string | null {
  const { board, spec, source, place, dispatchId } = draft;
  const checked = checkArgs(CONTROL_TOOLS.dispatch_worker, args);
  if ('fault' in checked) return checked.fault;
  const worker = findWorker(spec.topology, place.team?.name ?? null, checked.args.worker);
  if ('fault' in worker) return worker.fault;
  const fault = dispatchFault(spec.topology, sent, worker);
  if (fault !== null) return fault;
  const { task } = checked.args;
  const dispatch_id = `${dispatchId ?? ''}_${++board.dispatches}`;
  const agent_id = worker.agentId;
  events.push({
    name: 'dispatch.worker',
    source,
    data: { worker_name: worker.name, task, dispatch_id, agent_id },
  });
  waitFor(draft, { dispatch_id, call_id: id, tool: 'dispatch_worker', agent_id, task }, sent);
  return null;
}

/** From now on the agent waits for the report of this dispatch. */
function waitFor(draft: SessionDraft, open: OpenDispatch, sent: string[]): void {
  sent.push(open.agent_id);
  draft.board.waiting.push(open);
  emitAgentEvent(draft, 'subagent.start', {
    dispatch_id: open.dispatch_id,
    agent_id: open.agent_id,
  });
}
