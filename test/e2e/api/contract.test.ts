import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { resolveLimits } from '../../../src/domain/limits/limits.js';
import type { Api } from '../../support/api.js';

const EXAMPLES = { TOPOLOGIES_DIR: 'examples/topologies' };

async function expectEveryExampleValid(api: Api): Promise<void> {
  const { data } = await api.ask<{ items: { id: number }[] }>('GET', '/topologies');
  expect(data.items.length).toBeGreaterThanOrEqual(4);
  for (const { id } of data.items) {
    const events = expectValid((await (await api.trigger(id)).end()).text);
    expect([id, events.at(-1)?.key]).toEqual([id, 'lifecycle.completed']);
  }
}

describe('in one process', () => {
  let scene: Scene;
  let api: Api;
  let target: { endpoint: string };
  beforeAll(async () => {
    scene = new Scene();
    target = await httpTarget(scene.targets, healthy);
    api = await scene.service(EXAMPLES);
  });
  afterAll(() => scene.close());

  test('sends valid streams for every example', () => expectEveryExampleValid(api));

  test('answers a trigger with a stream that is valid to its last byte', async () => {
    const id = await api.store(topologyOf({ api: target }));
    const stream = await api.trigger(id);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-run-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      location: `/api/service/v1/executions/${stream.runId}/events`,
    });
    expect(stream.headers['content-encoding']).toBeUndefined();
    await stream.end();
    expect(stream.text).toMatch(
      /^retry: 3000\n\nevent: lifecycle\.started\nid: 1\ndata: \{"run_id":"/,
    );
    expect(stream.text.match(/^retry:/gm)).toHaveLength(1);
    const events = expectValid(stream.text);
    expect(events.every((event) => event.run_id === stream.runId)).toBe(true);
    expect(events[0]?.data).toEqual({
      kind: 'diagnosis',
      topology_id: id,
      topology_name: `Topology ${id}`,
      user_message: 'Something seems wrong.',
      limits: resolveLimits('diagnosis'),
    });
    expect(events[1]?.key).toBe('system.topology');
    // The hierarchy that clients see contains no endpoints.
    expect(JSON.stringify(events[1]?.data)).not.toContain('127.0.0.1');
  });

  test('does not compress a stream, even if the client accepts it', async () => {
    const id = await api.store(topologyOf({ api: target }));
    const runId = await api.accept(id);
    const stream = await api.follow(runId, { 'accept-encoding': 'gzip, br' });
    expect(stream.headers['content-encoding']).toBeUndefined();
    expectValid((await stream.end()).text);
  });

  test('answers a trigger with Accept: application/json with 202', async () => {
    const id = await api.store(topologyOf({ api: target }));
    const body = { topologyId: id, userMessage: 'x', unknownKey: 'is ignored' };
    const { status, headers, code, data } = await api.ask<{ runId: string; status: string }>(
      'POST',
      '/executions/trigger',
      { body },
    );
    const eventsUrl = `/api/service/v1/executions/${data.runId}/events`;
    expect({ status, code, data }).toEqual({
      status: 202,
      code: 'SUCCESS',
      data: { runId: data.runId, status: data.status, eventsUrl },
    });
    expect(['queued', 'running']).toContain(data.status);
    expect([headers.get('location'), headers.get('x-run-id')]).toEqual([eventsUrl, data.runId]);
    expectValid(await api.log(data.runId));
  });

  test.each(['*/*', 'text/event-stream', 'text/event-stream, application/json'])(
    'Accept: %s is a stream',
    async (accept) => {
      const id = await api.store(topologyOf({ api: target }));
      const runId = await api.accept(id);
      const stream = await api.follow(runId, { accept });
      expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8');
      expectValid((await stream.end()).text);
    },
  );
});

describe('in one api and two worker processes', () => {
  let scene: Scene;
  beforeAll(() => void (scene = new Scene()));
  afterAll(() => scene.close());

  test('sends the first events before any agent works, and valid streams for every example', async () => {
    const { api } = await scene.process({ ROLE: 'api', ...EXAMPLES });
    // There is no worker process, so no model and no tool can have been called.
    const early = await api.trigger(1);
    await early.has('event: system.topology');
    expect(early.lastSequence).toBe(2);
    expect(await api.show(early.runId)).toMatchObject({
      status: 'queued',
      startedAt: null,
      lastSequence: 2,
    });

    await Promise.all([scene.process({ ROLE: 'worker' }), scene.process({ ROLE: 'worker' })]);
    expectValid((await early.end()).text);
    await expectEveryExampleValid(api);
  });
});
