import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HttpAgent, type BaseEvent } from '@ag-ui/client';
import type { Api } from '../support/api.js';
import { answer, refuse, startProviderServer, type ProviderServer } from '../support/provider-server.js';
import { Scene } from '../support/scene.js';

let scene: Scene;
let provider: ProviderServer;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  provider = await startProviderServer();
  api = await scene.service({ MODEL: 'openai/some-model', OPENAI_BASE_URL: provider.url });
});
afterAll(async () => {
  await scene.close();
  await provider.close();
});

const agentOf = (threadId: string) => new HttpAgent({ url: api.at('/ag-ui'), threadId });
const ask = (agent: HttpAgent, content: string) => agent.addMessage({ id: `u${agent.messages.length}`, role: 'user', content });

test("the protocol's own client holds a conversation: its messages, its calls, and its runs by its own names", async () => {
  provider.script(
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
  expect(JSON.stringify(provider.exchanges.at(-1)?.body)).toContain('There is none.');
});

test('a run that fails is told as failed', async () => {
  provider.script(refuse(400));
  const agent = agentOf('thread-2');
  ask(agent, 'Is it well?');
  const failed: string[] = [];
  await agent.runAgent({ runId: 'run-2' }, { onRunErrorEvent: ({ event }) => void failed.push(String(event.code)) }).catch(() => undefined);
  expect(failed).toEqual(['AI_ERROR']);
});
