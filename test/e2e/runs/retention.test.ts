import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config.js';
import { FORMATS } from '../../../src/formats/registry.js';
import { RedisLog } from '../../../src/event-log/redis-log.js';
import { Api } from '../../support/api.js';
import { startCommandWith, type Command } from '../../support/processes/command.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

let scene: Scene;
let plain: Api;
let archiving: Api;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-archive-'));
  scene = new Scene();
  plain = await scene.service({ MAX_FOLLOWERS: '1' });
  archiving = await scene.service({ ARCHIVE_DIR: folder });
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

async function finishedRun() {
  const target = await httpTarget(scene.targets, erroring);
  const run = await (
    await archiving.trigger(await archiving.store(topologyOf({ api: target })))
  ).end();
  const shown = await archiving.show(run.runId);
  expect(shown.status).toBe('completed');
  return { runId: run.runId, log: run.log, shown };
}

const trim = (runId: string, archiveDir = '') =>
  new RedisLog(
    scene.redis.redis,
    loadConfig({
      REDIS_URL: scene.redis.url,
      REDIS_PREFIX: scene.redis.prefix,
      ARCHIVE_DIR: archiveDir,
    }),
  ).trim(runId);

test('shows the report of a run without a log and returns 410 for its events', async () => {
  const { runId, shown } = await finishedRun();
  await trim(runId);
  expect(await plain.show(runId)).toEqual({ ...shown, logKept: false });
  const { data } = await plain.ask<{ items: { runId: string; status: string }[] }>(
    'GET',
    '/executions',
  );
  expect(data.items).toContainEqual(expect.objectContaining({ runId, status: 'completed' }));
  for (const accept of ['application/json', 'text/event-stream'])
    expect(
      await plain.ask('GET', `/executions/${runId}/events?after=2`, { headers: { accept } }),
    ).toMatchObject({
      status: 410,
      code: 'RUN_EXPIRED',
      data: null,
    });
  const last = String(shown.lastSequence);
  expect((await plain.follow(runId, { 'last-event-id': last })).status).toBe(204);
  expect(await plain.ask('GET', `/executions/${runId}/events?after=9999`)).toMatchObject({
    status: 400,
    code: 'INVALID_EVENT_ID',
  });
  expect(await plain.cancel(runId)).toMatchObject({
    status: 409,
    code: 'CANCEL_FAILED',
    message: 'Execution already completed',
  });
});

test('an archived log reads like any other, in every format', async () => {
  const { runId, log, shown } = await finishedRun();
  const pageBefore = await archiving.ask('GET', `/executions/${runId}/events?after=3&limit=5`);
  const inFormats = () =>
    Promise.all(
      FORMATS.flatMap((format) =>
        ['0', '4'].map(async (id) => {
          const { status, text } = await (
            await archiving.follow(runId, { 'last-event-id': id }, `?format=${format}`)
          ).end();
          return { format, id, status, text };
        }),
      ),
    );
  const before = await inFormats();
  await trim(runId, folder);
  expect(await inFormats()).toEqual(before);
  expect(await archiving.show(runId)).toEqual(shown);
  expect(await archiving.log(runId)).toBe(log);
  expectValid(log);
  expect((await (await archiving.follow(runId, { 'last-event-id': '4' })).end()).log).toBe(
    log.slice(log.indexOf('event: ', log.indexOf('\nid: 4\n'))),
  );
  expect((await archiving.ask('GET', `/executions/${runId}/events?after=3&limit=5`)).text).toBe(
    pageBefore.text,
  );
});

describe('a damaged archive', () => {
  let reader: Command;
  let api: Api;
  beforeAll(async () => {
    const { url, prefix } = scene.redis;
    const env = { ROLE: 'api', PORT: '0', REDIS_URL: url, REDIS_PREFIX: prefix };
    const more = { ARCHIVE_DIR: folder, TOPOLOGIES_DIR: 'test/support', LOG_LEVEL: 'error' };
    reader = startCommandWith({ ...env, ...more }, 'src/main.ts');
    const said = await reader.printed(/listens on http:\S+,/);
    api = new Api(/listens on (\S+),/.exec(said)?.[1] ?? '');
  });
  afterAll(async () => {
    reader.child.kill('SIGTERM');
    await reader.ended;
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['garbage', () => Buffer.from('not gzip at all')],
    ['an empty file', () => Buffer.alloc(0)],
    [
      'changed words',
      (bytes) =>
        gzipSync(gunzipSync(bytes).toString().replace('"timestamp":"20', '"timestamp":"19')),
    ],
  ])('is 410 in every format, with one line in the log: %s', async (_, damage) => {
    const { runId, shown } = await finishedRun();
    await trim(runId, folder);
    const file = join(folder, `${runId}.ndjson.gz`);
    const whole = await readFile(file);
    await writeFile(file, damage(whole));
    for (const query of ['', ...FORMATS.map((format) => `?format=${format}`)])
      for (const accept of ['text/event-stream', 'application/json']) {
        const path = `/executions/${runId}/events${query}`;
        const answer = await api.ask('GET', path, { headers: { accept } });
        // Never a stream: it would end without a terminal event.
        expect([query, answer.status, answer.code]).toEqual([query, 410, 'RUN_EXPIRED']);
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
        expect(answer.data).toBeNull();
      }
    for (const [method, path, accept] of [
      ['GET', 'postmortem.md', 'text/markdown'],
      ['POST', 'ag-ui', 'text/event-stream'],
    ] as const) {
      const body = method === 'POST' && { body: {} };
      const answer = await api.ask(method, `/executions/${runId}/${path}`, {
        ...body,
        headers: { accept },
      });
      expect([path, answer.status, answer.code]).toEqual([path, 410, 'RUN_EXPIRED']);
    }
    const said = await reader.printed(new RegExp(`is damaged[^\\n]*${runId}`));
    const lines = said.split('\n').filter((line) => line.includes(runId));
    expect(lines.filter((line) => line.includes('is damaged'))).toHaveLength(1);
    // The report is kept apart from the log.
    expect((await api.show(runId)).report).toEqual(shown.report);
    expect((await fetch(api.at(`/executions/${runId}/report.md`))).status).toBe(200);
    await writeFile(file, whole);
    expectValid(await api.log(runId));
  });
});

test('a log that is full ends its run as failed, with the report so far', async () => {
  const own = new Scene();
  const small = await own.service({ LOG_MAX_EVENTS: '14' });
  const targets = [
    await httpTarget(scene.targets, erroring),
    await httpTarget(scene.targets, healthy),
  ];
  const run = await (
    await small.trigger(await small.store(topologyOf({ a: targets[0] ?? {}, b: targets[1] ?? {} })))
  ).end();
  const events = expectValid(run.text);
  expect(events.length).toBeLessThanOrEqual(14);
  expect(events.at(-1)).toMatchObject({
    key: 'lifecycle.failed',
    data: { code: 'LOG_LIMIT', retryable: false, report: { root_causes: [] } },
  });
  expect(await small.show(run.runId)).toMatchObject({ status: 'failed' });
  await until('its agents to have stopped', async () => (await small.show(run.runId)).quiesced);
  await own.close();
});

test('refuses followers at MAX_FOLLOWERS until one leaves', async () => {
  const target = await httpTarget(scene.targets, silent);
  const runId = await archiving.accept(await archiving.store(topologyOf({ api: target })));
  const first = await plain.follow(runId);
  expect(first.status).toBe(200);
  const refused = await (await plain.follow(runId)).end();
  expect([refused.status, refused.headers['retry-after'], refused.text]).toEqual([
    503,
    '5',
    expect.stringContaining('"UNAVAILABLE"'),
  ]);
  first.cut();
  const next = await until('a free place', async () => {
    const tried = await plain.follow(runId);
    return tried.status === 200 ? tried : undefined;
  });
  next.cut();
  await archiving.cancel(runId);
});
