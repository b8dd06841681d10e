import { afterEach, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import { startLokiReplay } from '../../../test/support/sources/loki-replay.js';
import type { SourceReplay } from '../../../test/support/sources/source-replay.js';
import type { LogRecord } from '../../domain/telemetry/records.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { logSearch } from '../log-search/log-search.js';
import { logPatterns } from './log-patterns.js';

const NOW = Date.parse('2026-01-02T12:00:00Z');
let loki: SourceReplay | undefined;
afterEach(async () => {
  await loki?.close();
  loki = undefined;
});

/** A line so many minutes ago. */
const line = (minutes: number, body: string, severity = 'info'): LogRecord => ({
  at: NOW - minutes * 60_000,
  severity,
  body,
  labels: { service: 'shop' },
});

async function contextWith(records: readonly LogRecord[]) {
  loki = await startLokiReplay(records);
  const node = { ...nodeOf('service'), in: { logs: '{service="shop"}' } };
  const sources = liveSources(
    { nodes: [node], sources: [{ id: 'logs', kind: 'loki', provides: ['logs'] }] },
    [{ id: 'logs', kind: 'loki', endpoint: loki.url }],
    { egress: anyEgress, secretOf: () => undefined, now: NOW },
  );
  return { ...contextOf(node), sources };
}

test('log_patterns quotes the message of a structured line, up to a word', async () => {
  const message = `cannot charge order ${'for one of many items '.repeat(20)}`;
  const context = await contextWith([
    line(50, 'cache warmed up'),
    line(9, JSON.stringify({ level: 'error', msg: message, order: 7 }), 'error'),
  ]);
  const { issues } = await logPatterns.run({ node: 'target' }, context);
  expect(issues.map(({ title }) => title)).toEqual([
    expect.stringMatching(
      /^new error in its logs: cannot charge order( for one of many items)+ for…$/,
    ),
  ]);
});

test('log_patterns reports a new error of a live Loki, and nothing that a part of the lines cannot show', async () => {
  const usual = Array.from({ length: 6 }, (_, i) => line(59 - i, 'cache warmed up'));
  const context = await contextWith([
    ...usual,
    line(50, 'cannot reach mail', 'error'),
    line(10, 'cannot reach mail', 'error'),
    line(9, 'login failed for order service', 'error'),
    line(8, 'new page served'),
  ]);
  const { issues, measurements, summary } = expectSound(
    await logPatterns.run({ node: 'target' }, context),
  );
  expect(summary).toBe('4 patterns: 1 new (1 error), 0 gone, 0 surging');
  expect(issues.map(({ title }) => title)).toEqual([
    'new error in its logs: login failed for order service',
  ]);
  expect(measurements).toMatchObject({ recorded: true, gone: [], new: [{ error: true }] });
});

test('log_patterns says which node a proxy could not reach, by the address of its endpoint', async () => {
  const refused =
    'connect() failed (111: Connection refused) while connecting to upstream, request: "GET /1 HTTP/1.1", upstream: "http://10.0.0.5:8080/1"';
  const context = await contextWith([line(50, 'started'), line(5, refused, 'error')]);
  const checkout = { ...nodeOf('service', 'http://10.0.0.5:8080/ready'), id: 'checkout' };
  const nodes = [...context.nodes, checkout];
  const { issues } = await logPatterns.run({ node: 'target' }, { ...context, nodes });
  expect(issues[0]?.detail).toMatch(/^Seen once since .* It names checkout\.$/);
});

test('a node without lines has no logs, which is no sign of health', async () => {
  const context = await contextWith([]);
  expect(await logPatterns.run({ node: 'target' }, context)).toMatchObject({
    measurements: { recorded: false },
  });
});

test('log_search finds the newest lines of a live Loki', async () => {
  const context = await contextWith([line(50, 'Order 7 failed'), line(5, 'order 8 failed')]);
  const args = { node: 'target', text: 'ORDER', limit: 1 };
  expect((await logSearch.run(args, context)).measurements).toMatchObject({
    lines: [{ body: 'order 8 failed', at: '2026-01-02T11:55:00.000Z' }],
    more: true,
  });
});
