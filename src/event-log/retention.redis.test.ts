import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { completed, openEvent, text } from '../../test/support/incidents/drafts.js';
import { feedNode, TestRun } from '../../test/support/streams/feed-node.js';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { TestSink } from '../../test/support/memory/test-sink.js';
import { until } from '../../test/support/until.js';
import type { Config } from '../config/config.js';
import type { Feed } from '../streams/feed.js';
import { Retention } from './retention.js';
import { RunIndex } from './run-index.js';

const LISTS = { topologyId: 1, tenant: 'default' };

const DAY = 86_400_000;

let corner: TestRedis;
let folder: string;
const feeds: Feed[] = [];
beforeAll(() => void Logger.overrideLogger(false));
beforeEach(async () => {
  corner = testRedis();
  folder = await mkdtemp(join(tmpdir(), 'consilium-archive-'));
});
afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.onApplicationShutdown();
  await corner.close();
  await rm(folder, { recursive: true });
});
afterAll(() => void Logger.overrideLogger(['error']));

function nodeWith(overrides: Partial<Config> = {}) {
  const node = feedNode(corner, corner.url, overrides);
  const index = new RunIndex(corner.redis, node.config, Date);
  feeds.push(node.feed);
  return { ...node, index, retention: new Retention(node.log, index, node.config, [], Date) };
}

/** A run of a few events, in the index. */
async function runOn({ log, index }: ReturnType<typeof nodeWith>, ends = true): Promise<TestRun> {
  const run = new TestRun(log, corner.redis);
  await index.add(run.runId, LISTS, 'diagnosis');
  await run.begin();
  await run.append(...fc.sample(openEvent, 30));
  if (ends) {
    await run.append(completed);
    await index.close(run.runId, LISTS);
  }
  return run;
}

/** All keys except those of the stream, the state and the index. */
const keysOf = async (run: TestRun) =>
  (await corner.redis.keys(`*{${run.runId}}*`)).map((key) => key.slice(key.lastIndexOf(':') + 1));

describe('Retention', () => {
  it('deletes logs of runs that ended before RETENTION_DAYS and keeps their state', async () => {
    const node = nodeWith();
    const run = await runOn(node);
    const going = await runOn(node, false);
    const before = await node.log.state(run.runId);
    expect(await node.retention.sweep()).toEqual({ dropped: 0, forgotten: 0 });
    expect(await node.retention.sweep(Date.now() + 8 * DAY)).toEqual({ dropped: 1, forgotten: 0 });
    expect(await keysOf(run)).toEqual(['state']);
    expect(await node.log.state(run.runId)).toEqual({ ...before, expired: true });
    const last = before?.lastSequence ?? 0;
    expect(await node.log.events(run.runId, [last])).toEqual([
      expect.objectContaining({
        sequence: last,
        data: expect.objectContaining({ summary: 'Done.' }),
      }),
    ]);
    await expect(node.log.read(run.runId, 0, 10)).rejects.toMatchObject({ code: 'RUN_EXPIRED' });
    expect(await node.log.read(run.runId, last, 10)).toMatchObject({ frames: [], sealed: true });
    expect(
      (await node.index.page({ tenant: 'default' }, undefined, 10))
        .map(({ runId }) => runId)
        .toSorted(),
    ).toEqual([run.runId, going.runId].toSorted());
    expect(await node.log.claim(run.runId, 'w')).toEqual({ kind: 'sealed' });
    expect(
      await node.log.append(run.runId, { writer: 'w', epoch: 1, step: 3, events: [text('x')] }),
    ).toEqual({ kind: 'sealed' });
    expect((await node.log.state(going.runId))?.expired).toBe(false);
    expect(await node.retention.sweep(Date.now() + 8 * DAY)).toEqual({ dropped: 0, forgotten: 0 });
  });

  it('deletes logs beyond RETENTION_RUNS, oldest first', async () => {
    const node = nodeWith({ retentionRuns: 3 });
    const runs: TestRun[] = [];
    for (let i = 0; i < 30; i++) {
      runs.push(await runOn(node));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await node.retention.sweep()).toEqual({ dropped: 27, forgotten: 0 });
    const expired = await Promise.all(
      runs.map(async ({ runId }) => (await node.log.state(runId))?.expired),
    );
    expect(expired).toEqual([...Array<boolean>(27).fill(true), false, false, false]);
  });

  it('works in small steps and stops between two of them at shutdown', async () => {
    const node = nodeWith({ retentionRuns: 1 });
    for (let i = 0; i < 45; i++) await runOn(node);
    const sweeping = node.retention.sweep();
    await node.retention.onApplicationShutdown();
    expect(await sweeping).toEqual({ dropped: 20, forgotten: 0 });
  });

  it('forgets runs after INDEX_RETENTION_DAYS, except runs that have not ended', async () => {
    const node = nodeWith();
    const run = await runOn(node);
    const going = await runOn(node, false);
    expect(await node.retention.sweep(Date.now() + 91 * DAY)).toEqual({ dropped: 1, forgotten: 1 });
    expect(await node.log.state(run.runId)).toBeUndefined();
    expect(await keysOf(run)).toEqual([]);
    for (const topology of [undefined, 1])
      expect(
        (await node.index.page({ tenant: 'default', topologyId: topology }, undefined, 10)).map(
          ({ runId }) => runId,
        ),
      ).toEqual([going.runId]);
  });

  it('runs in one process at a time and reopens a run that has not ended', async () => {
    const one = nodeWith();
    const other = nodeWith();
    const run = await runOn(one, false);
    await one.index.close(run.runId, LISTS);
    expect(await one.retention.sweep(Date.now() + 8 * DAY)).toEqual({ dropped: 1, forgotten: 0 });
    expect((await one.index.open()).map(({ runId }) => runId)).toEqual([run.runId]);
    expect((await one.log.state(run.runId))?.expired).toBe(false);
    await runOn(one);
    expect(await other.retention.sweep(Date.now() + 8 * DAY)).toEqual({ dropped: 0, forgotten: 0 });
  });

  it('archives a log before it deletes it and reads the same bytes from the archive', async () => {
    const node = nodeWith({
      archiveDir: join(folder, 'deep', 'archive'),
      followerBufferBytes: 2_048,
    });
    const run = await runOn(node);
    const whole = await run.after(0);
    const frames = whole.split(/(?<=\n\n)/);
    expect(await node.retention.sweep(Date.now() + 8 * DAY)).toEqual({ dropped: 1, forgotten: 0 });
    expect(await keysOf(run)).toEqual(['state']);
    expect((await node.log.state(run.runId))?.expired).toBe(false);

    const [name, digest, ...others] = (await readdir(join(folder, 'deep', 'archive'))).sort();
    expect([name, digest, others]).toEqual([`${run.runId}.ndjson.gz`, `${run.runId}.sha256`, []]);
    const lines = gunzipSync(await readFile(join(folder, 'deep', 'archive', name as string)))
      .toString()
      .trimEnd()
      .split('\n');
    expect(lines).toEqual(frames.map((frame) => frame.slice(frame.indexOf('\ndata: ') + 7, -2)));

    for (const after of [0, 1, 17, frames.length - 1]) {
      const sink = new TestSink();
      await node.feed.follow(run.runId, after, sink);
      await until('its end', () => sink.ended);
      expect(sink.text).toBe(frames.slice(after).join(''));
    }
    const page = await node.log.read(run.runId, 3, 4);
    expect(Buffer.concat(page.frames).toString()).toBe(frames.slice(3, 7).join(''));
    expect(await node.log.read(run.runId, frames.length, 4)).toEqual({
      frames: [],
      lastSequence: frames.length,
      sealed: true,
    });
  });

  it('serves many followers at once from the archive', async () => {
    const node = nodeWith({ archiveDir: folder });
    const run = await runOn(node);
    const whole = await run.after(0);
    await node.log.trim(run.runId);
    const sinks = Array.from({ length: 40 }, () => new TestSink());
    for (const [i, sink] of sinks.entries()) await node.feed.follow(run.runId, i % 20, sink);
    await until('all to end', () => sinks.every(({ ended }) => ended));
    expect(
      sinks.every(
        ({ text: got }, i) =>
          got ===
          whole
            .split(/(?<=\n\n)/)
            .slice(i % 20)
            .join(''),
      ),
    ).toBe(true);
  });

  it('refuses a damaged archive before its first event and reads it after it was restored', async () => {
    const node = nodeWith({ archiveDir: folder });
    const run = await runOn(node);
    const other = await runOn(node);
    for (const { runId } of [run, other]) await node.log.trim(runId);
    const fileOf = ({ runId }: TestRun) => join(folder, `${runId}.ndjson.gz`);
    const bytes = await readFile(fileOf(run));
    const lines = gunzipSync(bytes).toString().trimEnd().split('\n');
    const damaged: [string, Buffer][] = [
      ['empty', Buffer.alloc(0)],
      ['cut', bytes.subarray(0, bytes.length / 2)],
      ['garbage', Buffer.from('not gzip at all')],
      [
        'a changed byte',
        Buffer.from(bytes.map((byte, i) => (i === bytes.length >> 1 ? ~byte : byte))),
      ],
      ['without its end', gzipSync(`${lines.slice(0, -1).join('\n')}\n`)],
      ['with an event twice', gzipSync(`${lines.with(1, lines[0] ?? '').join('\n')}\n`)],
      ['with more events', gzipSync(`${[...lines, lines.at(-1)].join('\n')}\n`)],
      ['of another run', await readFile(fileOf(other))],
      [
        'with other words',
        gzipSync(`${lines.join('\n').replace('"timestamp":"20', '"timestamp":"19')}\n`),
      ],
    ];
    for (const [what, content] of damaged) {
      await writeFile(fileOf(run), content);
      const read = node.log.read(run.runId, 0, 1).then(
        () => 'was read',
        (error: { code: string }) => error.code,
      );
      expect([what, await read]).toEqual([what, 'RUN_EXPIRED']);
    }
    await writeFile(fileOf(run), bytes);
    expect((await node.log.read(run.runId, 0, 1_000)).frames).toHaveLength(lines.length);
  });

  it('reads an archive of an older version, which has no digest', async () => {
    const node = nodeWith({ archiveDir: folder });
    const { runId } = await runOn(node);
    const { lastSequence } = await node.log.read(runId, 0, 1);
    await node.log.trim(runId);
    await rm(join(folder, `${runId}.sha256`));
    expect((await node.log.read(runId, 0, 1_000)).frames).toHaveLength(lastSequence);
  });

  it('keeps a log that cannot be archived', async () => {
    const file = join(folder, 'not-a-folder');
    await writeFile(file, '');
    const node = nodeWith({ archiveDir: file });
    const run = await runOn(node);
    const whole = await run.after(0);
    expect(await node.retention.sweep(Date.now() + 8 * DAY)).toEqual({ dropped: 0, forgotten: 0 });
    expect(await run.after(0)).toBe(whole);
  });
});
