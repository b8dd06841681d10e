import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { ask, says } from '../../support/chat.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

let scene: Scene;
let api: Api;
let shop: number;
let stuck: number;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
  const target = await httpTarget(scene.targets, healthy);
  shop = await api.store(topologyOf({ api: target, cart: target }));
  stuck = await api.store(topologyOf({ api: await httpTarget(scene.targets, silent) }));
});
afterAll(() => scene.close());

interface Card {
  runId: string;
  status: string;
  verdict: string | null;
  headline: string | null;
}

/** Opens the stream of changes and collects its frames. */
async function changes() {
  const abort = new AbortController();
  const response = await fetch(api.at('/executions/changes'), { signal: abort.signal });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const cards: Card[] = [];
  const read = async () => {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^event: run\ndata: (.*)$/.exec(frame)?.[1];
        if (data !== undefined) cards.push(JSON.parse(data) as Card);
      }
    }
  };
  const done = read().catch(() => undefined);
  return { cards, close: () => (abort.abort(), done) };
}

test('a list says how runs ended, and 304 while nothing changes', async () => {
  const { runId } = await (await api.trigger(shop)).end();
  const first = await api.ask<{ items: Card[] }>('GET', '/executions?verdict=healthy');
  expect(first.data.items).toMatchObject([
    {
      runId,
      verdict: 'healthy',
      counts: { critical: 0 },
      partial: false,
      error: null,
      logKept: true,
    },
  ]);
  const etag = first.headers.get('etag') ?? '';
  const again = await api.ask('GET', '/executions?verdict=healthy', {
    // Without it fetch asks for an answer that no cache may give.
    headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
  });
  expect([again.status, again.text]).toEqual([304, '']);
  expect((await api.ask('GET', '/executions?status=completed,broken')).status).toBe(400);
});

test('the stream of changes shows a run from its start to its end', async () => {
  const { cards, close } = await changes();
  const runId = await api.accept(stuck);
  await until('it is seen to run', () =>
    cards.find((card) => card.runId === runId && card.status === 'running'),
  );
  await api.cancel(runId);
  await until('it is seen to end', () =>
    cards.find((card) => card.runId === runId && card.status === 'cancelled'),
  );
  await close();
});

test('a run shows its effective limits and its deadline, in its log too', async () => {
  const runId = await api.accept(shop, { limits: { timeoutSeconds: 60 } });
  const run = (await api.ask<Record<string, never>>('GET', `/executions/${runId}`)).data;
  expect(run).toMatchObject({ limits: { timeoutSeconds: 60, maxIterations: 15 } });
  expect(Date.parse(run['deadline'] ?? '') - Date.parse(run['createdAt'] ?? '')).toBe(60_000);
  await api.reaches(runId, 'completed');
  const log = expectValid(await api.log(runId));
  expect(log[0]?.data).toMatchObject({ limits: { timeoutSeconds: 60 } });
  // A reader of the log knows the deadline without a field of its own.
  expect(Date.parse(log[0]?.timestamp ?? '') + 60_000).toBe(Date.parse(run['deadline'] ?? ''));
  const usage = log.filter(({ key }) => key === 'llm.usage').map(({ data }) => data);
  for (const data of usage)
    expect(data).toMatchObject({
      duration_ms: expect.any(Number) as unknown,
      waited_ms: expect.any(Number) as unknown,
    });
  const queued = usage.filter((data) => 'queued_ms' in data).map((data) => data['dispatch_id']);
  expect(queued.length).toBeGreaterThan(1);
  expect(new Set(queued).size).toBe(queued.length);
});

test('a page of events may end before an event', async () => {
  const { runId } = await (await api.trigger(shop)).end();
  interface EventPage {
    items: { sequence: number }[];
    nextBefore: number | null;
  }
  const page = async (query: string) =>
    (await api.ask<EventPage>('GET', `/executions/${runId}/events?${query}`)).data;
  const { lastSequence } = await api.show(runId);
  const last = await page('before=1000000&limit=3');
  expect(last.items.map(({ sequence }) => sequence)).toEqual([
    lastSequence - 2,
    lastSequence - 1,
    lastSequence,
  ]);
  expect(last.nextBefore).toBe(lastSequence - 2);
  const first = await page('before=4&limit=100');
  expect(first).toMatchObject({ items: [{}, {}, {}], nextBefore: null });
  expect((await page('before=1')).items).toEqual([]);
});

test('a run may look at a part of its topology', async () => {
  const { runId } = await (await api.trigger(shop, { nodes: ['cart'] })).end();
  const log = expectValid(await api.log(runId));
  expect(log[0]?.data).toMatchObject({ scope: ['cart'] });
  const measured = log
    .filter(({ key }) => key === 'llm.tool_result')
    .map(({ data }) => data['node']);
  expect(new Set(measured)).toEqual(new Set(['cart']));
  expect(await api.show(runId)).toMatchObject({
    report: { unchecked: [{ node: 'api', reason: 'NOT_ASKED' }] },
  });
  const refused = await api.ask('POST', '/executions/trigger', {
    body: { topologyId: shop, userMessage: 'x', nodes: ['kart'] },
  });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('did you mean')]);
});

test('a turn is about the run that it names, not about the latest', async () => {
  const { runId } = await (await api.trigger(shop)).end();
  await (await api.trigger(shop)).end();
  const { events, runId: turn } = await ask(`${api.url}/chat/stream`, {
    message: 'What was checked?',
    run_id: runId,
  });
  expect(says(events)).toContain(runId);
  expect(expectValid(await api.log(turn))[0]?.data).toMatchObject({
    about_run_id: runId,
    topology_id: shop,
  });
  const unknown = await ask(`${api.url}/chat/stream`, {
    message: 'What was checked?',
    run_id: '01960d3c-5f2a-7cc0-8000-0123456789ab',
  });
  expect(unknown.status).toBe(404);
});

test('limits are there as data', async () => {
  const { data } = await api.ask<{ items: object[] }>('GET', '/limits');
  expect(data.items).toContainEqual({
    name: 'timeoutSeconds',
    minimum: 10,
    maximum: 3_600,
    defaults: { diagnosis: 900, chat: 120 },
  });
});

test('the status shows processes, queues and models of the whole service', async () => {
  const runId = await api.accept(stuck);
  await api.reaches(runId, 'running');
  const read = async () =>
    (
      await api.ask<{
        processes: object[];
        queues: { queue: string; active: number }[];
        models: object[];
      }>('GET', '/status')
    ).data;
  const isBusy = { queue: 'worker', active: 1 };
  const status = await until('the process and its work are seen', async () => {
    const seen = await read();
    const works = seen.queues.some(({ queue, active }) => queue === 'worker' && active === 1);
    return seen.processes.length > 0 && works ? seen : undefined;
  });
  expect(status).toMatchObject({
    openRuns: expect.any(Number) as unknown,
    processes: [{ role: 'all', slots: { worker: expect.any(Number) as unknown } }],
    store: { warnings: expect.any(Array) as unknown },
  });
  expect(status.models).toContainEqual(
    expect.objectContaining({
      name: 'runbook',
      breaker: { state: 'closed', failures: 0, until: null },
    }),
  );
  expect(status.queues).toContainEqual(expect.objectContaining(isBusy));
  await api.cancel(runId);
});
