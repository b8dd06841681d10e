import { numberOf, textOf } from '../read.js';
import type { RunModel } from '../run-model.js';
import type { AgentRow, Notice } from '../types.js';
import type { EventOf } from '../types.js';
import { closeCall, rowOf } from './rows.js';

/** A call that was refused sooner than this is not shown as one: the wait that follows says it. */
const SHOWN_MS = 60;

export function foldNotice(
  model: RunModel,
  event: EventOf<'system.warning'> | EventOf<'system.error'>,
): void {
  const { data, sequence, time } = event;
  const named = data['dispatch_id'];
  const row = rowOf(model, event, typeof named === 'string' || named === null ? named : undefined);
  const wait = numberOf(data['retry_in_ms']);
  const notice: Notice = {
    seq: sequence,
    time,
    level: event.name === 'system.warning' ? 'warning' : 'error',
    code: data.code,
    message: data.message,
    model: textOf(data['model'], row?.model),
    row,
    untilTime: wait === undefined ? null : time + wait,
  };
  model.notices.push(notice);
  if (!row) return;
  if (data.code === 'AGENT_RESUMED') {
    closeCall(row, event, 'cut');
    row.resumed.push(sequence);
    row.idleTime = time;
  }
  if (notice.untilTime !== null) addWait(row, event, notice, notice.untilTime);
}

function addWait(
  row: AgentRow,
  event: EventOf<'system.warning'> | EventOf<'system.error'>,
  { seq, time, model, code, message }: Notice,
  untilTime: number,
): void {
  const attempt = numberOf(event.data['attempt']);
  const common = {
    startSeq: seq,
    endSeq: seq,
    note: message,
    ...(attempt !== undefined && { attempt }),
  };
  if (row.openCall) closeCall(row, event, 'cut');
  else if (time - row.idleTime > SHOWN_MS)
    row.bars.push({
      ...common,
      kind: 'model',
      startTime: row.idleTime,
      endTime: time,
      label: model,
      state: 'cut',
    });
  row.bars.push({
    ...common,
    kind: 'wait',
    startTime: time,
    endTime: untilTime,
    label: code,
    state: 'warn',
  });
  row.idleTime = untilTime;
}
