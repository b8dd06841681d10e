import type { RunModel } from '../run-model.js';
import type { AgentRow, LogEvent } from '../types.js';
import type { EventOf } from '../types.js';
import { healthOfSeverity, worsen } from './health.js';
import { addRow, closeCall, cutBars } from './rows.js';

/** An agent is sent; who sent it is parked until all of its dispatches have reported. */
export function foldDispatch(
  model: RunModel,
  event: EventOf<'dispatch.team'> | EventOf<'dispatch.worker'>,
): void {
  const { agent_id: agentId, dispatch_id: id, task } = event.data;
  const isWorker = event.name === 'dispatch.worker';
  const row = addRow(model, event, {
    id,
    agentId,
    task,
    role: !isWorker ? 'team_supervisor' : agentId.endsWith('.librarian') ? 'librarian' : 'worker',
    name:
      model.agents.get(agentId)?.name || (isWorker ? event.data.worker_name : event.data.team_name),
    team: isWorker ? (event.source?.team_name ?? null) : event.data.team_name,
  });
  if (row.parent) park(row.parent, event);
  if (row.node !== null)
    model.nodes.get(row.node)?.looks.push({ startSeq: event.sequence, endSeq: null, row });
}

function park(row: AgentRow, event: LogEvent): void {
  closeCall(row, event, 'ok');
  row.pending++;
  if (row.parked) return;
  row.parked = {
    kind: 'parked',
    startSeq: event.sequence,
    startTime: event.time,
    endSeq: null,
    endTime: null,
    label: 'waits for reports, holds no slot',
    state: 'open',
  };
  row.bars.push(row.parked);
}

export function foldReport(model: RunModel, event: EventOf<'dispatch.report'>): void {
  const { data, sequence, time } = event;
  const row = model.rows.get(data.dispatch_id);
  if (!row) return;
  closeCall(row, event, 'ok');
  cutBars(row, event);
  Object.assign(row, {
    endSeq: sequence,
    endTime: time,
    status: data.status,
    summary: data.summary,
    reasons: data.reasons,
    findings: data.findings,
  });
  if (row.parent) unpark(row.parent, event);
  if (row.node !== null) endLook(model, event, row.node, row);
  if (row.role !== 'worker') return;
  for (const finding of data.findings) {
    model.found.push({ seq: sequence, finding });
    worsen(model, finding.node, {
      seq: sequence,
      health: healthOfSeverity(finding.severity),
      why: finding.title,
    });
  }
}

function unpark(row: AgentRow, event: LogEvent): void {
  row.pending = Math.max(0, row.pending - 1);
  if (row.pending > 0) return;
  row.idleTime = event.time;
  if (!row.parked) return;
  row.parked.endTime = event.time;
  row.parked.endSeq = event.sequence;
  row.parked.state = 'ok';
  row.parked = null;
}

/** A worker that found nothing on its node has found it healthy, or could not look at it. */
function endLook(
  model: RunModel,
  event: EventOf<'dispatch.report'>,
  node: string,
  row: AgentRow,
): void {
  const { data, sequence } = event;
  const look = model.nodes.get(node)?.looks.findLast((look) => look.row === row);
  if (look) look.endSeq = sequence;
  if (data.findings.some((finding) => finding.node === node)) return;
  worsen(model, node, {
    seq: sequence,
    health: data.status === 'ok' ? 'ok' : 'unchecked',
    why: data.summary,
  });
}
