import type { RunModel } from '../run-model.js';
import type { AgentRole, AgentRow, Bar, BarState, LogEvent } from '../types.js';

/** Ids of dispatches contain their sender: `d1_2_1` was sent by `d1_2`. */
const parentOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf('_')));

export interface RowStart {
  id: string;
  role: AgentRole;
  name: string;
  agentId: string;
  team: string | null;
  task: string;
}

export function addRow(model: RunModel, event: LogEvent, start: RowStart): AgentRow {
  const parent = start.id === '' ? null : (model.rows.get(parentOf(start.id)) ?? null);
  const bound = model.agents.get(start.agentId);
  const row: AgentRow = {
    ...start,
    node: bound?.node ?? null,
    model: bound?.model ?? '',
    parent,
    depth: parent ? parent.depth + 1 : 0,
    startSeq: event.sequence,
    startTime: event.time,
    endSeq: null,
    endTime: null,
    status: null,
    summary: '',
    reasons: [],
    findings: [],
    bars: [],
    children: [],
    usage: [],
    resumed: [],
    idleTime: event.time,
    openCall: null,
    parked: null,
    pending: 0,
  };
  (parent ? parent.children : model.roots).push(row);
  model.rows.set(start.id, row);
  model.currentRow.set(start.agentId, row);
  return row;
}

/** The dispatch that an event belongs to: the one it names, else the last one of its agent. */
export function rowOf(
  model: RunModel,
  event: LogEvent,
  dispatchId?: string | null,
): AgentRow | null {
  if (dispatchId !== undefined) {
    const named = model.rows.get(dispatchId ?? '');
    if (named) return named;
  }
  const { source } = event;
  if (!source) return null;
  const current = model.currentRow.get(source.agent_id);
  if (current) return current;
  if (source.agent_type !== 'global_supervisor' && source.agent_type !== 'oracle') return null;
  return (
    model.rows.get('') ??
    addRow(model, event, {
      id: '',
      role: source.agent_type,
      name: source.agent_name,
      agentId: source.agent_id,
      team: null,
      task: model.started?.user_message ?? '',
    })
  );
}

/** A model call that began when its agent had last ended something. */
export function openCall(
  row: AgentRow,
  event: LogEvent,
  turn: { turn: number; attempt: number },
  label: string,
): Bar {
  const bar: Bar = {
    kind: 'model',
    startSeq: event.sequence,
    startTime: Math.min(row.idleTime, event.time),
    endSeq: null,
    endTime: null,
    label,
    state: 'open',
    turn: turn.turn,
    attempt: turn.attempt,
  };
  row.openCall = bar;
  row.bars.push(bar);
  return bar;
}

/** Ends the model call that is under way, if there is one. */
export function closeCall(row: AgentRow, event: LogEvent, state: BarState): void {
  const bar = row.openCall;
  if (!bar) return;
  bar.endTime = event.time;
  bar.endSeq = event.sequence;
  bar.state = state;
  row.openCall = null;
  row.idleTime = event.time;
}

/** Ends everything that is still under way, because its dispatch has ended. */
export function cutBars(row: AgentRow, event: LogEvent): void {
  for (const bar of row.bars) {
    if (bar.endTime !== null && bar.endTime <= event.time) continue;
    bar.endTime = event.time;
    bar.endSeq = event.sequence;
    if (bar.state === 'open') bar.state = bar.kind === 'parked' ? 'ok' : 'cut';
  }
  row.openCall = null;
  row.parked = null;
}
