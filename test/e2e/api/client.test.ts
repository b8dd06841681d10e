import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, isTerminal } from '../../../src/client/index.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { TcpProxy } from '../../support/processes/tcp-proxy.js';
import { teamOfEach } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';
import { until } from '../../support/until.js';

let scene: Scene;
let api: Api;
let proxy: TcpProxy;
let client: Client;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ ALLOWED_HOSTS: '127.0.0.1' });
  proxy = await TcpProxy.to(api.url);
  client = new Client(proxy.url.replace('redis:', 'http:'));
});
afterAll(async () => {
  await proxy.close();
  await scene.close();
});

const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);

test('a run is read whole, each event once, while its connection is cut again and again', async () => {
  const waiting = held(healthy);
  const api1 = await httpTarget(scene.targets, healthy);
  const shop = await httpTarget(scene.targets, waiting);
  const topologyId = await api.store(teamOfEach({ api: api1, shop }));
  const { runId, events } = await client.trigger({ topologyId, userMessage: 'Why?' });
  const cuts = (async () => {
    for (let i = 0; i < 3; i++) {
      const before = proxy.accepted;
      proxy.reset();
      await until('the next connection', () => proxy.accepted > before);
    }
    waiting.release();
    for (let i = 0; i < 4; i++) {
      await sleep(30);
      proxy.reset();
    }
  })();
  const seen: number[] = [];
  let last = '';
  for await (const event of events) {
    expect(event.run_id).toBe(runId);
    seen.push(event.sequence);
    last = event.name;
  }
  await cuts;
  expect(isTerminal(last)).toBe(true);
  expect(seen).toEqual(upTo((await api.show(runId)).lastSequence));
  expect(proxy.accepted).toBeGreaterThan(3);
  // From the middle, and from the end.
  const rest: number[] = [];
  for await (const event of client.follow(runId, { after: 4 })) rest.push(event.sequence);
  expect(rest).toEqual(seen.slice(4));
  for await (const event of client.follow(runId, { after: seen.length }))
    throw new Error(`nothing was to come, and ${event.sequence} did`);
});

test('cancel, and a signal that ends reading but not the run', async () => {
  const stuck = held(healthy);
  const topologyId = await api.store(teamOfEach({ web: await httpTarget(scene.targets, stuck) }));
  const abort = new AbortController();
  const { runId, events } = await client.trigger(
    { topologyId, userMessage: 'Why?' },
    { signal: abort.signal },
  );
  const reading = (async () => {
    for await (const event of events) if (event.name === 'llm.tool_call') abort.abort();
  })();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  expect((await client.show(runId)).status).toBe('running');
  const ends = client.follow(runId);
  await client.cancel(runId);
  let last = '';
  for await (const event of ends) last = event.name;
  expect(last).toBe('lifecycle.cancelled');
  stuck.release();
});

test('topologies are stored, listed, replaced and deleted', async () => {
  const { endpoint } = await httpTarget(scene.targets, healthy);
  const nodes = [{ id: 'web', name: 'Web', kind: 'service', endpoint }];
  const ids = Array.from({ length: 101 }, (_, i) => 5_000 + i);
  for (const id of ids) await client.createTopology({ id, name: `Shop ${id}`, nodes });
  // More than a page has.
  const listed = (await client.topologies()).map(({ id }) => id);
  expect(listed.filter((id) => ids.includes(id)).sort()).toEqual(ids);
  expect(await client.topology(5_000)).toMatchObject({ name: 'Shop 5000', version: 1 });
  await expect(client.createTopology({ id: 5_000, name: 'Shop', nodes })).rejects.toMatchObject({
    code: 'TOPOLOGY_EXISTS',
  });
  await client.replaceTopology(5_000, { id: 5_000, name: 'Blog', nodes });
  expect(await client.topology(5_000)).toMatchObject({ name: 'Blog', version: 2 });
  await client.deleteTopology(5_000);
  await expect(client.topology(5_000)).rejects.toMatchObject({ code: 'TOPOLOGY_NOT_FOUND' });
});

test('a conversation is held, listed and read', async () => {
  const { events } = await client.chat({ message: 'hello', sessionId: 'client-talk' });
  for await (const event of events) expect(event.sequence).toBeGreaterThan(0);
  const talks: string[] = [];
  for await (const { id } of client.conversations()) talks.push(id);
  expect(talks).toContain('client-talk');
  const { messages } = await client.conversation('client-talk');
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
});
