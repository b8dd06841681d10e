import { beforeEach, expect, it } from '@jest/globals';
import { completed, spec, started } from '../../../test/support/incidents/drafts.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import { Models } from '../../models/models.js';
import { Instruments } from '../telemetry/instruments.js';
import { RunTraces } from './run-traces.js';
import type { ExportedTrace } from './span.js';

const RUN = '01a201db-11c3-73f8-b229-38c2e021b4ad';
const CALLER = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';

let log: MemoryLog;
let instruments: Instruments;
let exported: ExportedTrace[];
beforeEach(() => {
  log = new MemoryLog();
  instruments = new Instruments();
  exported = [];
});

const tracesWith = (send: (trace: ExportedTrace) => Promise<void>) =>
  new RunTraces({ export: send, close: async () => undefined }, log, new Models(), instruments);
const keep = async (trace: ExportedTrace) => void exported.push(trace);

async function endedRun(runId = RUN, traceparent?: string): Promise<void> {
  await log.create(runId, { ...spec, ...(traceparent !== undefined && { traceparent }) }, [
    started,
  ]);
  await log.seal(runId, () => completed);
}

it('exports the trace of a run when it is closed', async () => {
  await endedRun();
  const traces = tracesWith(keep);
  await traces.afterClose(RUN);
  await traces.onApplicationShutdown();
  expect(exported.map(({ traceId }) => traceId)).toEqual([RUN.replaceAll('-', '')]);
  expect(await instruments.registry.metrics()).toContain(
    'consilium_traces_total{outcome="sent"} 1\n',
  );
});

it.each([
  ['01', 1],
  ['00', 0],
])('follows the decision of its caller: flags %s', async (flags, count) => {
  await endedRun(RUN, `00-${CALLER}-${flags}`);
  const traces = tracesWith(keep);
  await traces.afterClose(RUN);
  await traces.onApplicationShutdown();
  expect(exported.map(({ traceId }) => traceId)).toEqual(
    Array.from({ length: count }, () => CALLER.slice(0, 32)),
  );
});

it('does not wait for a collector, and drops what it cannot take', async () => {
  await endedRun();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const traces = tracesWith(() => held);
  for (let i = 0; i < 103; i++) await traces.afterClose(RUN);
  release();
  await traces.onApplicationShutdown();
  const text = await instruments.registry.metrics();
  expect(text).toContain('consilium_traces_total{outcome="dropped"} 3\n');
  expect(text).toContain('consilium_traces_total{outcome="sent"} 100\n');
});

it('counts traces that the collector refuses', async () => {
  await endedRun();
  const traces = tracesWith(() => Promise.reject(new Error('503')));
  await traces.afterClose(RUN);
  await traces.afterClose('unknown');
  await traces.onApplicationShutdown();
  expect(await instruments.registry.metrics()).toContain(
    'consilium_traces_total{outcome="failed"} 1\n',
  );
});

it('does nothing if traces are off', async () => {
  const traces = new RunTraces(undefined, log, new Models(), instruments);
  await traces.afterClose('unknown');
  await traces.onApplicationShutdown();
});
