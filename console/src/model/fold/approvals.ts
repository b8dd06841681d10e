import type { RunModel } from '../run-model.js';
import type { EventOf } from '../types.js';

export function foldApproval(
  model: RunModel,
  { data, sequence }: EventOf<'system.approval'>,
): void {
  model.approvals.push({ seq: sequence, asked: data, decidedSeq: null });
}

export function foldDecision(
  model: RunModel,
  { data, sequence }: EventOf<'system.decision'>,
): void {
  const open = model.approvals.find(({ asked }) => asked.approval_id === data.approval_id);
  if (open) open.decidedSeq = sequence;
}
