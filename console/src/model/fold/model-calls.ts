import type { RunModel } from '../run-model.js';
import type { EventOf } from '../types.js';
import { closeCall, openCall, rowOf } from './rows.js';

const number = (value: number): string => value.toLocaleString('en');

/** Text of a model: its call is under way. Another turn or attempt means that the one before was cut. */
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

export function foldUsage(model: RunModel, event: EventOf<'llm.usage'>): void {
  const { data, sequence } = event;
  const before = model.usage.at(-1);
  model.usage.push({
    seq: sequence,
    tokens: data.total_tokens,
    cost: (before?.cost ?? 0) + (data.cost ?? 0),
  });
  const row = rowOf(model, event, data.dispatch_id);
  if (!row) return;
  const bar = row.openCall ?? openCall(row, event, data, data.model);
  bar.label = data.model;
  bar.note = `${number(data.input_tokens)} in, ${number(data.output_tokens)} out`;
  row.model = data.model;
  const broken = data.finish_reason === 'error' || data.finish_reason === 'aborted';
  closeCall(row, event, broken ? 'cut' : 'ok');
  const used = row.usage.at(-1);
  row.usage.push({
    seq: sequence,
    tokens: (used?.tokens ?? 0) + data.input_tokens + data.output_tokens,
    cost: (used?.cost ?? 0) + (data.cost ?? 0),
    contextTokens: data.context_tokens,
    contextMax: data.max_context_tokens,
  });
}
