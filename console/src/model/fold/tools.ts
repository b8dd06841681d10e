import { toolFindingsOf } from '../read.js';
import type { RunModel } from '../run-model.js';
import type { Bar, BarState } from '../types.js';
import type { EventOf } from '../types.js';
import { worsen } from './health.js';
import { closeCall, rowOf } from './rows.js';

export function foldToolCall(model: RunModel, event: EventOf<'llm.tool_call'>): void {
  const { data, sequence, time } = event;
  const row = rowOf(model, event, data.dispatch_id);
  if (!row) return;
  closeCall(row, event, 'ok');
  const asked = data.args['node'];
  const node = typeof asked === 'string' ? asked : row.node;
  // At its own node, a worker looks from its dispatch to its report.
  if (node !== null && node !== row.node)
    model.nodes.get(node)?.looks.push({ startSeq: sequence, endSeq: null, row });
  const bar: Bar = {
    kind: 'tool',
    startSeq: sequence,
    startTime: time,
    endSeq: null,
    endTime: null,
    label: data.tool,
    state: 'open',
    turn: data.turn,
    ...(node !== null && { node }),
  };
  row.bars.push(bar);
  const call = { seq: sequence, bar, tool: data.tool, args: data.args, resultSeq: null };
  model.calls.set(data.tool_call_id, call);
}

export function foldToolResult(model: RunModel, event: EventOf<'llm.tool_result'>): void {
  const { data, sequence, time } = event;
  const row = rowOf(model, event, data.dispatch_id);
  if (row) row.idleTime = Math.max(row.idleTime, time);
  const call = model.calls.get(data.tool_call_id);
  if (!call) return;
  const found = toolFindingsOf(data.result);
  const { bar } = call;
  call.resultSeq = sequence;
  bar.startTime = Math.max(bar.startTime, time - data.duration_ms);
  bar.endTime = time;
  bar.endSeq = sequence;
  bar.state = stateOf(data.status, found.status);
  bar.note = data.status === 'ok' ? found.summary : `${data.status}: ${found.error}`;
  const { node } = bar;
  if (node === undefined) return;
  const track = model.nodes.get(node);
  track?.results.push(sequence);
  if (node !== row?.node) {
    const look = track?.looks.findLast((look) => look.row === row && look.endSeq === null);
    if (look) look.endSeq = sequence;
  }
  if (data.status !== 'ok' || found.status === undefined) return;
  if (found.status === 'ok') {
    // No worker reports on what was measured for the agent at the top: its last result does.
    if (row?.id === '' && !isMeasured(model, node))
      worsen(model, node, { seq: sequence, health: 'ok', why: found.summary });
    return;
  }
  const critical = found.issues.some((issue) => issue.severity === 'critical');
  worsen(model, node, {
    seq: sequence,
    health: found.status === 'failed' && critical ? 'critical' : 'warning',
    why: found.issues[0]?.title ?? found.summary,
  });
}

/** Whether a tool is at work at a node. */
const isMeasured = (model: RunModel, node: string): boolean =>
  [...model.calls.values()].some((call) => call.bar.node === node && call.resultSeq === null);

function stateOf(status: string, found: string | undefined): BarState {
  if (status !== 'ok') return 'warn';
  return found === 'failed' ? 'bad' : found === 'degraded' ? 'warn' : 'ok';
}
