import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Api } from '../support/api.js';
import { ask } from '../support/chat.js';
import { expectValid } from '../support/event-stream.js';
import { answer, begin, inTurn, reset, startProviderServer, type ProviderServer } from '../support/provider-server.js';
import { Scene } from '../support/scene.js';

let scene: Scene;
let server: ProviderServer;
let api: Api;
beforeEach(async () => {
  scene = new Scene();
  server = await startProviderServer();
  server.otherwise = answer({ text: 'All is well.' });
  api = await scene.service({ MODEL: 'openai/some-model', OPENAI_BASE_URL: server.url });
});
afterEach(async () => {
  await scene.close();
  await server.close();
});

/** A turn of a conversation, and what is kept of it. */
async function turn() {
  const url = `${api.url}/api/v1/conversations/talk`;
  const { text, runId } = await ask(`${url}/stream`, { content: 'Is it well?' });
  const { data } = (await (await fetch(url)).json()) as { data: { messages: object[] } };
  return { text, log: expectValid(await api.log(runId)), kept: data.messages.at(-1) };
}

it('a turn of a chat that breaks behind its first text is not tried again, and keeps its partial answer', async () => {
  server.script(inTurn(begin({ text: 'So far, ' }, { text: 'all is' }), reset));
  const { text, log, kept } = await turn();
  expect(server.exchanges).toHaveLength(1);
  expect(log.at(-1)).toMatchObject({ key: 'lifecycle.failed', data: { code: 'AI_ERROR', retryable: true, report: null } });
  expect(text).toMatch(/"type":"error",[^\n]*"code":"ai_error","retryable":true\}\}\n\nid: \d+\ndata: \[DONE\]\n\n$/);
  expect(kept).toMatchObject({ role: 'assistant', content: 'So far, all is', partial: true });
});

it('a turn of a chat that breaks before its first text is tried again', async () => {
  server.script(inTurn(begin(), reset));
  const { log, kept } = await turn();
  expect(server.exchanges).toHaveLength(2);
  const warning = log.find(({ key }) => key === 'system.warning')?.data;
  expect(warning).toMatchObject({ code: 'AI_ERROR', retryable: true, attempt: 1, retry_in_ms: expect.any(Number) });
  expect(log.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  expect(kept).toMatchObject({ role: 'assistant', content: 'All is well.', partial: false });
});
