import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FORMATS, formatOf } from '../../../src/formats/registry.js';
import { encodeLog, framesOf, idOf, payloads } from '../../support/streams/encode.js';
import { EventStream } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ STREAM_FORMAT: 'flat' });
  topologyId = await api.store(topologyOf({ web: await httpTarget(scene.targets, healthy) }));
});
afterAll(() => scene.close());

/** Without `retry:` and comments. */
const bare = ({ text }: EventStream): string => framesOf(text).join('');
const logOf = async (runId: string): Promise<string[]> =>
  framesOf((await (await api.follow(runId, {}, '?format=executor')).end()).text);

describe.each(FORMATS)('?format=%s', (format) => {
  let live: EventStream;
  let log: string[];
  beforeAll(async () => {
    const body = { topologyId, userMessage: 'Why?' };
    live = await (
      await EventStream.open(api.at(`/executions/trigger?format=${format}`), {
        method: 'POST',
        body,
      })
    ).end();
    log = await logOf(live.runId);
  });

  test('streams live what the log contains', () => {
    expect(live.status).toBe(200);
    expect(live.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(live.headers['x-vercel-ai-ui-message-stream']).toBe(
      formatOf(format).headers?.['x-vercel-ai-ui-message-stream'],
    );
    expect(live.text).toMatch(/^retry: 3000\n\n/);
    expect(bare(live)).toBe(encodeLog(format, log));
  });

  test('resumes after the id of every frame', async () => {
    const whole = framesOf(bare(live));
    for (const [i, frame] of whole.slice(0, -1).entries()) {
      const rest = await api.follow(
        live.runId,
        { 'last-event-id': idOf(frame) },
        `?format=${format}`,
      );
      expect(bare(await rest.end())).toBe(whole.slice(i + 1).join(''));
    }
    const one = await api.follow(
      live.runId,
      {},
      `?format=${format}&after=${idOf(whole.at(-2) as string)}`,
    );
    expect(bare(await one.end())).toBe(whole.at(-1));
    expect(
      (await api.follow(live.runId, { 'last-event-id': String(log.length) }, `?format=${format}`))
        .status,
    ).toBe(204);
  });

  test('refuses an invalid cursor', async () => {
    for (const id of [
      '0.1',
      '1.0',
      '1.',
      '.1',
      ...(formatOf(format).hasParts ? [] : ['1.1']),
      '1.2.3',
      `${log.length + 1}`,
      `${log.length + 1}.1`,
      '-1',
    ])
      expect([
        id,
        (await api.follow(live.runId, { 'last-event-id': id }, `?format=${format}`)).status,
      ]).toEqual([id, 400]);
  });

  test('ends a cancelled run as the format defines, live and resumed', async () => {
    const stuck = await api.store(topologyOf({ web: await httpTarget(scene.targets, silent) }));
    const body = { topologyId: stuck, userMessage: 'Why?' };
    const stream = await EventStream.open(api.at(`/executions/trigger?format=${format}`), {
      method: 'POST',
      body,
    });
    await stream.has('id: 1');
    await api.cancel(stream.runId);
    await stream.end();
    const log = await logOf(stream.runId);
    expect(bare(stream)).toBe(encodeLog(format, log));
    expect(bare(stream)).toMatch(/cancelled/i);
    expect(bare(stream)).toContain(formatOf(format).ends.cancelled);
  });
});

test('uses STREAM_FORMAT by default and returns pages of events in any format', async () => {
  const stream = await (await api.trigger(topologyId)).end();
  expect(payloads(stream.text)[0]).toMatchObject({
    type: 'lifecycle.started',
    runId: stream.runId,
    agentId: null,
    content: 'Something seems wrong.',
  });
  const page = await api.ask<{ items: { sequence: number }[] }>(
    'GET',
    `/executions/${stream.runId}/events?format=ai-sdk&after=2.1`,
  );
  expect(page.data.items[0]).toMatchObject({
    sequence: 2,
    event: { category: 'system', action: 'topology' },
  });
});
