import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HttpAgent, type BaseEvent } from '@ag-ui/client';
import type { Api } from '../support/api.js';
import { ModelScene } from '../support/model-scene.js';
import { answer, refuse } from '../support/provider-server.js';

const model = new ModelScene();
let api: Api;
beforeAll(async () => {
  await model.open();
  api = await model.service(model.hosted());
});
afterAll(() => model.close());

const agentOf = (threadId: string) => new HttpAgent({ url: api.at('/ag-ui'), threadId });
const ask = (agent: HttpAgent, content: string) =>
  agent.addMessage({ id: `u${agent.messages.length}`, role: 'user', content });

test("the protocol's own client holds a conversation: its messages, its calls, and its runs by its own names", async () => {
  model.server.script(
    answer({ text: 'Let me look.' }, { call: 'list_topologies', args: '{}' }),
    answer({ text: 'There is none.' }),
    answer({ text: 'As I said.' }),
  );
  const agent = agentOf('thread-1');
  ask(agent, 'Which topologies are there?');
  const seen: BaseEvent[] = [];
  await agent.runAgent({ runId: 'run-1' }, { onEvent: ({ event }) => void seen.push(event) });
  expect(agent.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: 'Let me look.' },
    { role: 'assistant', toolCalls: [{ function: { name: 'list_topologies', arguments: '{}' } }] },
    { role: 'tool', content: expect.stringContaining('"topologies":[]') },
    { role: 'assistant', content: 'There is none.' },
  ]);
  const place = { threadId: 'thread-1', runId: 'run-1' };
  expect([seen[0], seen.at(-1)]).toMatchObject([
    { type: 'RUN_STARTED', protocolVersion: '1.0', ...place },
    { type: 'RUN_FINISHED', ...place },
  ]);

  // Again under the same name: ids of messages are not mixed up.
  ask(agent, 'Are you sure?');
  await agent.runAgent({ runId: 'run-1' });
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'As I said.' });
  expect(new Set(agent.messages.map(({ id }) => id)).size).toBe(agent.messages.length);
  expect(JSON.stringify(model.server.exchanges.at(-1)?.body)).toContain('There is none.');
});

test('a run that fails is shown as failed', async () => {
  model.server.script(refuse(400));
  const agent = agentOf('thread-2');
  ask(agent, 'Is it well?');
  const failed: string[] = [];
  await agent
    .runAgent(
      { runId: 'run-2' },
      { onRunErrorEvent: ({ event }) => void failed.push(String(event.code)) },
    )
    .catch(() => undefined);
  expect(failed).toEqual(['AI_ERROR']);
});
