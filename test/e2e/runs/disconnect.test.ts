import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { abortable } from '../../../src/lib/async.js';
import type { Tool } from '../../../src/tools/tool.js';
import { EventStream, expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
/** Lets the tool return. */
let release: () => void;
const released = new Promise<void>((resolve) => (release = resolve));
/** Waits: a run lasts as long as the test wants. */
const wait: Tool = {
  name: 'wait',
  description: 'Waits.',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args: z.object({ node: z.string() }),
  appliesTo: ({ kind }) => kind === 'slow',
  argsFor: ({ id }) => ({ node: id }),
  run: async (_, { signal }) => {
    await abortable(released, signal);
    return { status: 'ok', summary: 'well', measurements: {}, issues: [] };
  },
};
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ WORKER_CONCURRENCY: '8' }, { tools: [wait] });
});
afterAll(() => scene.close());

test.each([
  ['was killed', 'SIGKILL'],
  ['was restarted', 'SIGTERM'],
] as const)('a run is cancelled although the node of its last follower %s', async (_, signal) => {
  // That process has no tool of the test. Its 40 workers, eight at a time, make two tries of 9.5 s
  // each: longer than it takes.
  const { endpoint } = await httpTarget(scene.targets, silent);
  const node = { endpoint, attributes: { timeoutMs: 9_500 } };
  const nodes = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`slow-${i}`, node]));
  const id = await api.store(topologyOf(nodes));
  const front = await scene.process({ ROLE: 'api' });
  const run = await front.api.trigger(id, { onDisconnect: 'cancel' });
  await run.has('event: llm.tool_call');
  await front.stop(signal);
  if (signal === 'SIGTERM') await scene.process({ ROLE: 'api' });
  await api.reaches(run.runId, 'cancelled');
});

/** A message to each endpoint that streams a chat, as its front end sends it. */
const chats = (topologyId: number): [path: string, body: object][] => {
  const question = 'Probe slow';
  const onDisconnect = 'cancel';
  const messages = [{ id: 'm1', role: 'user', content: question }];
  const forwardedProps = { topologyId, onDisconnect };
  const parts = [{ type: 'text', text: question }];
  return [
    ['/chat/stream', { message: question, topology_id: topologyId, onDisconnect }],
    ['/api/chat', { id: 'left', messages: [{ role: 'user', parts }], topologyId, onDisconnect }],
    ['/api/service/v1/ag-ui', { threadId: 'left-ag-ui', runId: 'r1', messages, forwardedProps }],
    [
      '/api/v1/conversations/left-agent/stream',
      { content: question, topology_id: topologyId, onDisconnect },
    ],
    ['/api/oracle/stream', { question, project_id: String(topologyId), onDisconnect }],
  ];
};

test('a run without followers continues, unless it is to be cancelled after 10 s', async () => {
  const limits = { toolTimeoutSeconds: 300 };
  const id = await api.store(topologyOf({ slow: { kind: 'slow' } }, { limits }));
  const cut = async (stream: EventStream): Promise<string> => {
    (await stream.has('event: llm.tool_call')).cut();
    return stream.runId;
  };
  const began = Date.now();
  const [left, never, joined, stays, ...turns] = await Promise.all([
    api.trigger(id, { onDisconnect: 'cancel' }).then(cut),
    api.accept(id, { onDisconnect: 'cancel' }),
    api.trigger(id, { onDisconnect: 'cancel' }).then(cut),
    api.trigger(id, { onDisconnect: 'continue' }).then(cut),
    ...chats(id).map(([path, body]) =>
      EventStream.open(`${api.url}${path}?format=executor`, { method: 'POST', body }).then(cut),
    ),
  ]);
  const other = await api.follow(joined);

  expect(new Set(turns).size).toBe(5);
  for (const runId of [left, never, ...turns]) {
    await api.reaches(runId, 'cancelled');
    const [last] = expectValid(await api.log(runId)).slice(-1);
    expect(last?.key).toBe('lifecycle.cancelled');
    expect(Date.parse(last?.timestamp ?? '')).toBeGreaterThanOrEqual(began + 10_000);
  }
  expect([(await api.show(joined)).status, (await api.show(stays)).status]).toEqual([
    'running',
    'running',
  ]);
  release();
  expectValid((await other.end()).text);
  expect(expectValid(await api.log(stays)).at(-1)?.key).toBe('lifecycle.completed');
});
