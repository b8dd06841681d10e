import type { Report } from '../../../../src/domain/diagnosis/finding.js';
import type { RunModel } from '../run-model.js';
import type { RowStatus } from '../types.js';
import type { EventOf } from '../types.js';
import { reportHealth, reportWhy } from '../report-health.js';
import { worsen } from './health.js';
import { closeCall, cutBars } from './rows.js';

type End =
  EventOf<'lifecycle.completed'> | EventOf<'lifecycle.failed'> | EventOf<'lifecycle.cancelled'>;

export function foldEnd(model: RunModel, event: End): void {
  model.terminal = event;
  model.report = event.data.report;
  for (const row of model.rows.values()) {
    closeCall(row, event, row.id === '' && event.name === 'lifecycle.completed' ? 'ok' : 'cut');
    cutBars(row, event);
    if (row.endSeq !== null) continue;
    row.endSeq = event.sequence;
    row.endTime = event.time;
    row.status = row.id === '' ? statusOfTop(event) : 'cut';
    if (row.id === '') row.summary = summaryOf(event);
  }
  for (const track of model.nodes.values())
    for (const look of track.looks) look.endSeq ??= event.sequence;
  foldVerdict(model, event.sequence, model.report);
}

function statusOfTop(event: End): RowStatus {
  if (event.name === 'lifecycle.completed') return event.data.partial ? 'partial' : 'ok';
  return event.name === 'lifecycle.cancelled' ? 'cut' : 'failed';
}

function summaryOf(event: End): string {
  if (event.name === 'lifecycle.completed') return event.data.summary;
  return event.name === 'lifecycle.failed' ? event.data.error : event.data.reason;
}

function foldVerdict(model: RunModel, seq: number, report: Report | null): void {
  for (const [node, { changes }] of model.nodes) {
    const verdict = report
      ? { seq, health: reportHealth(report, node), why: reportWhy(report, node) }
      : { seq, health: 'unchecked' as const, why: 'the run ended without a report' };
    // One probe that was well does not make a node healthy of which the report leaves the state
    // open.
    if (report && verdict.health === 'unchecked' && changes.at(-1)?.health === 'ok')
      changes.push(verdict);
    else worsen(model, node, verdict);
  }
}
