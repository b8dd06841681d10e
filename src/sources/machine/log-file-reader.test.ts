import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeLogSource, T0, WINDOW } from '../../../test/support/sources/source-compliance.js';
import type { LinesQuestion } from '../live/served-logs.js';
import { readLogFile } from './log-file-reader.js';
import { MachineLogs } from './machine-logs.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const never = new AbortController().signal;
const ask = (path: string, question: Partial<LinesQuestion> = {}) =>
  readLogFile(path, { selector: '*', window: WINDOW, most: 100, ...question }, never);
const file = (name: string, ...lines: string[]) => {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};

describeLogSource('files', (records) => {
  const logs = ['shop', 'cart'].map((node) => {
    const own = records.filter((each) => each.node === node);
    const path = file(
      node,
      ...own.map(({ at, severity, body, traceId, spanId }) =>
        JSON.stringify({ time: at, level: severity, msg: body, traceId, spanId }),
      ),
    );
    const read = (question: LinesQuestion) => ask(path, question);
    return { id: node, selectors: new Map([[node, '*']]), read };
  });
  return Promise.resolve(new MachineLogs(logs, WINDOW));
});

/** As nginx writes it: in the time zone of the machine. */
function nginxTime(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getMonth() + 1, date.getDate()].map(two).join('/');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${date.getFullYear()}/${day} ${clock}`;
}

test('reads the error log of an nginx', async () => {
  const said =
    '*7 connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.1, server: shop, request: "GET / HTTP/1.1", upstream: "http://10.0.0.5:8080/"';
  const path = file('error.log', `${nginxTime(T0 + 60_000)} [error] 31#31: ${said}`);
  expect(await ask(path)).toEqual([{ at: T0 + 60_000, severity: 'error', body: said, labels: {} }]);
});

test('reads lines that begin with a date, with those that follow', async () => {
  const path = file(
    'app.log',
    'the end of an older line',
    '2026-01-01 00:01:00,250 ERROR [main] pool is empty',
    '  at Pool.take (pool.js:3)',
    '[2026-01-01T00:02:00Z] order 7 placed',
  );
  expect(await ask(path)).toEqual([
    { at: T0 + 120_000, severity: '', body: 'order 7 placed', labels: {} },
    {
      at: T0 + 60_250,
      severity: 'ERROR',
      labels: {},
      body: 'ERROR [main] pool is empty\n  at Pool.take (pool.js:3)',
    },
  ]);
  expect(await ask(path, { lines: 'telling' })).toHaveLength(1);
  expect(await ask(path, { lines: 'other' })).toMatchObject([{ body: 'order 7 placed' }]);
});

test('reads only the end of a large file', async () => {
  const path = file('large.log', `2026-01-01 00:00:30 first`);
  appendFileSync(path, `2026-01-01 00:01:00 ${'x'.repeat(9_000)}\n`.repeat(300));
  const found = await ask(path, { most: 1_000 });
  expect(found.length).toBeLessThan(300);
  expect(found.every(({ body }) => body.startsWith('x') && body.length <= 4_096)).toBe(true);
});

test('that is not there, or is no file, is a failure', async () => {
  await expect(ask(join(folder, 'nowhere'))).rejects.toMatchObject({ failure: 'failed' });
  await expect(ask(folder)).rejects.toMatchObject({ failure: 'failed' });
});
