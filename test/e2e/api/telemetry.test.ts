import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LogRecord, Span } from '../../../src/domain/telemetry/records.js';
import type { Report } from '../../../src/domain/diagnosis/finding.js';
import type { RunRecord } from '../../../src/client/index.js';
import { startCommand, startCommandWith } from '../../support/processes/command.js';
import { startElasticsearchReplay } from '../../support/sources/elasticsearch-replay.js';
import { startLokiReplay } from '../../support/sources/loki-replay.js';
import { startJaegerReplay, startTempoReplay } from '../../support/sources/trace-replays.js';
import type { SourceReplay } from '../../support/sources/source-replay.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let folder = '';
const open: SourceReplay[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-telemetry-'));
});
afterAll(async () => {
  for (const replay of open) await replay.close();
  await rm(folder, { recursive: true });
});

/**
 * A trace and log lines for each minute of the last hour and of the same hour a day ago; with a
 * fault, payments fails in the last ten minutes.
 */
function telemetry(isFaulty: boolean) {
  const now = Date.now();
  const [spans, logs]: [Span[], LogRecord[]] = [[], []];
  for (const day of [1, 0])
    for (let minute = 59; minute >= 1; minute -= 1) {
      const at = now - day * DAY - minute * MINUTE;
      const fails = isFaulty && day === 0 && minute <= 10;
      const id = `${day}${String(minute).padStart(2, '0')}`.padStart(32, 'a');
      const span = (node: string, number: number, ms: number, error?: string): Span => ({
        traceId: id,
        spanId: `${id.slice(0, 15)}${number}`,
        node,
        name: `POST /${node}`,
        ...(number > 1 && { parentId: `${id.slice(0, 15)}${number - 1}` }),
        start: at + number,
        durationMs: ms,
        attributes: {},
        ...(fails && error !== undefined && { error }),
      });
      spans.push(
        span('storefront', 1, fails ? 1_030 : 30, 'checkout answered 502'),
        span('checkout', 2, fails ? 1_020 : 20, 'payments answered 500'),
        span('payments', 3, fails ? 1_010 : 10, 'connection pool exhausted'),
      );
      const line = (node: string, severity: string, body: string): LogRecord => ({
        at: at + 5,
        node,
        severity,
        body,
        labels: { service: node, 'service.name': node },
      });
      logs.push(
        line('storefront', 'info', `order ${day * 100 + minute} received`),
        line('checkout', 'info', `order ${day * 100 + minute} passed on`),
        fails
          ? line('payments', 'error', 'connection pool exhausted: no connection within 1000 ms')
          : line('payments', 'info', `payment ${day * 100 + minute} booked`),
      );
    }
  return { spans, logs };
}

const STACKS = {
  loki: { kind: 'loki', start: startLokiReplay, selector: (id: string) => `{service="${id}"}` },
  elasticsearch: {
    kind: 'elasticsearch',
    start: startElasticsearchReplay,
    selector: (id: string) => `service.name=${id}`,
  },
  tempo: { kind: 'tempo', start: startTempoReplay },
  jaeger: { kind: 'jaeger', start: startJaegerReplay },
} as const;

async function diagnose(
  { logs, traces }: { logs: 'loki' | 'elasticsearch'; traces: 'tempo' | 'jaeger' },
  isFaulty: boolean,
  ...args: string[]
) {
  const given = telemetry(isFaulty);
  const logServer = await STACKS[logs].start(given.logs);
  const traceServer = await STACKS[traces].start(given.spans);
  open.push(logServer, traceServer);
  const file = join(folder, 'shop.json');
  const listed = join(folder, 'sources.yaml');
  const ids = ['storefront', 'checkout', 'payments'];
  const nodes = ids.map((id, index) => ({
    id,
    name: id,
    kind: 'workload',
    dependsOn: ids.slice(index + 1, index + 2),
    in: { logs: STACKS[logs].selector(id), traces: id },
  }));
  const sources = [
    { id: 'logs', kind: logs },
    { id: 'traces', kind: traces },
  ];
  await writeFile(file, JSON.stringify({ id: 1, name: 'Shop', nodes, sources }));
  await writeFile(
    listed,
    `sources:\n  - { id: logs, kind: ${logs}, endpoint: '${logServer.url}' }\n  - { id: traces, kind: ${traces}, endpoint: '${traceServer.url}' }\n`,
  );
  const ended = await startCommandWith(
    { SOURCES_FILE: listed },
    'src/cli/diagnose.ts',
    ...[file, '--json', ...args],
  ).ended;
  return (JSON.parse(ended.stdout) as RunRecord).report;
}

const inShort = (report: Report | null | undefined) => ({
  verdict: report?.verdict,
  causes: report?.root_causes.map(({ node, kind, title }) => [node, kind, title]),
  findings: report?.findings.map(({ node, severity, title }) => [node, severity, title]).sort(),
  unchecked: report?.unchecked.map(({ node, reason }) => [node, reason]),
});

test.each([
  { logs: 'loki', traces: 'tempo' },
  { logs: 'elasticsearch', traces: 'jaeger' },
] as const)(
  'a diagnosis on $logs and $traces names the service that fails, and a capture of it gives the same',
  async (stack) => {
    const bundle = join(folder, stack.logs);
    const live = await diagnose(stack, true, '--capture', bundle);
    const replay = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
    const replayed = (JSON.parse(replay.stdout) as RunRecord).report;
    expect(inShort(replayed)).toEqual(inShort(live));
    expect(live).toMatchObject({
      verdict: 'root_cause_found',
      root_causes: [{ node: 'payments', kind: 'connection-pool-exhausted' }],
      unchecked: [],
    });
  },
);

test('a diagnosis of telemetry in which nothing is wrong is healthy', async () => {
  const report = await diagnose({ logs: 'loki', traces: 'tempo' }, false);
  expect(inShort(report)).toEqual({ verdict: 'healthy', causes: [], findings: [], unchecked: [] });
});
