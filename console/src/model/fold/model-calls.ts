import { number } from '../number.js';
import type { RunModel } from '../run-model.js';
import type { AgentRow, Bar, EventOf } from '../types.js';
import { closeCall, openCall, rowOf } from './rows.js';

/** A shorter wait is not shown. */
const SHOWN_MS = 60;

/**
 * Text of a model: its call is under way. Another turn or attempt means that the one before was
 * cut.
 */
export function foldText(
  model: RunModel,
  event: EventOf<'llm.stream'> | EventOf<'llm.reasoning'>,
): void {
  const { data } = event;
  const row = rowOf(model, event, data.dispatch_id);
  if (!row) return;
  const { openCall: open } = row;
  if (open && (open.turn !== data.turn || open.attempt !== data.attempt))
    closeCall(row, event, 'cut');
  if (row.openCall) return;
  openCall(row, event, data, row.model || 'model').firstTextTime = event.time;
}

/** Places a call where the log says that it was made, and what its agent waited for before it. */
function timeCall(
  row: AgentRow,
  { data, time, sequence }: EventOf<'llm.usage'>,
  bar: Bar,
  durationMs: number,
): void {
  const { waited_ms: waitedMs = 0, first_token_ms: firstMs, queued_ms: queuedMs = 0 } = data;
  bar.startTime = Math.max(row.startTime, time - durationMs);
  if (firstMs === undefined) delete bar.firstTextTime;
  else bar.firstTextTime = bar.startTime + firstMs;
  const wait = (kind: 'queued' | 'wait', from: number, until: number, label: string): void => {
    if (until - from < SHOWN_MS) return;
    row.bars.push({
      kind,
      label,
      state: 'ok',
      startSeq: sequence,
      endSeq: sequence,
      startTime: from,
      endTime: until,
    });
  };
  wait('queued', row.startTime, row.startTime + queuedMs, 'waits in the queue for a slot');
  // Waits that the provider asked for are announced, and drawn, when they begin.
  const announced = row.bars
    .filter(({ kind }) => kind === 'wait')
    .map(({ endTime }) => endTime ?? time);
  const from = Math.max(row.startTime, bar.startTime - waitedMs, ...announced);
  wait('wait', from, bar.startTime, 'waits for room at the model');
}

/** What is not known is not 0: the cost of a model without a price. */
const sumOf = (before: number | undefined, cost: number | undefined): number | undefined =>
  cost === undefined ? before : (before ?? 0) + cost;

export function foldUsage(model: RunModel, event: EventOf<'llm.usage'>): void {
  const { data, sequence } = event;
  const before = model.usage.at(-1);
  model.usage.push({
    seq: sequence,
    tokens: data.total_tokens,
    cost: sumOf(before?.cost, data.cost),
  });
  const row = rowOf(model, event, data.dispatch_id);
  if (!row) return;
  const bar = row.openCall ?? openCall(row, event, data, data.model);
  if (data.duration_ms !== undefined) timeCall(row, event, bar, data.duration_ms);
  bar.label = data.model;
  bar.note = `${number(data.input_tokens)} in, ${number(data.output_tokens)} out`;
  row.model = data.model;
  const broken = data.finish_reason === 'error' || data.finish_reason === 'aborted';
  closeCall(row, event, broken ? 'cut' : 'ok');
  const used = row.usage.at(-1);
  row.usage.push({
    seq: sequence,
    tokens: (used?.tokens ?? 0) + data.input_tokens + data.output_tokens,
    cost: sumOf(used?.cost, data.cost),
    contextTokens: data.context_tokens,
    contextMax: data.max_context_tokens,
  });
}
