import { expect, it } from '@jest/globals';
import { completed, spec, started } from '../../../test/support/incidents/drafts.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import { Instruments } from '../telemetry/instruments.js';
import { RunOutcomes } from './run-outcomes.js';

const failed = (code: string): DraftEvent => ({
  name: 'lifecycle.failed',
  source: null,
  data: { error: 'e', code, retryable: false, report: null },
});

it('counts each end of a run with bounded labels, and its times', async () => {
  let now = 1_000;
  const log = new MemoryLog(undefined, () => now);
  const instruments = new Instruments();
  const outcomes = new RunOutcomes(log, instruments);
  for (const [runId, end] of [
    ['a', completed],
    ['b', failed('DEADLINE')],
    ['c', failed('SOMETHING')],
  ] as const) {
    now = 1_000;
    await log.create(runId, spec, [started]);
    now = 1_500;
    await log.claim(runId, 'w');
    now = 3_000;
    await log.seal(runId, () => end);
    await outcomes.afterClose(runId);
  }
  await outcomes.afterClose('unknown');
  await outcomes.beforeRestart();
  await outcomes.beforeTrim();
  const text = await instruments.registry.metrics();
  const labels = (status: string, code: string) =>
    `consilium_runs_ended_total{kind="diagnosis",status="${status}",verdict="none",code="${code}"} 1\n`;
  expect(text).toContain(labels('completed', 'none'));
  expect(text).toContain(labels('failed', 'DEADLINE'));
  expect(text).toContain(labels('failed', 'other'));
  expect(text).toContain('consilium_runs_restarted_total 1\n');
  expect(text).toContain('consilium_runs_trimmed_total 1\n');
  expect(text).toContain('consilium_run_duration_seconds_sum{kind="diagnosis"} 6\n');
  expect(text).toContain('consilium_run_wait_seconds_sum{kind="diagnosis"} 1.5\n');
});
