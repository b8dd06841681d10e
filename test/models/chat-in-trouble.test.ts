import { beforeEach, expect, it } from '@jest/globals';
import type { Api } from '../support/api.js';
import { ask } from '../support/chat.js';
import { expectValid } from '../support/event-stream.js';
import { modelScene } from '../support/model-scene.js';
import { answer, begin, inTurn, reset } from '../support/provider-server.js';

const scene = modelScene(answer({ text: 'All is well.' }));
let api: Api;
beforeEach(async () => {
  api = await scene.service(scene.hosted());
});

/** A turn of a conversation, and what is kept of it. */
async function turn() {
  const url = `${api.url}/api/v1/conversations/talk`;
  const { text, runId } = await ask(`${url}/stream`, { content: 'Is it well?' });
  const { data } = (await (await fetch(url)).json()) as { data: { messages: object[] } };
  return { text, log: expectValid(await api.log(runId)), kept: data.messages.at(-1) };
}

it('a turn of a chat that breaks behind its first text is not tried again, and keeps its partial answer', async () => {
  scene.server.script(inTurn(begin({ text: 'So far, ' }, { text: 'all is' }), reset));
  const { text, log, kept } = await turn();
  expect(scene.server.exchanges).toHaveLength(1);
  expect(log.at(-1)).toMatchObject({ key: 'lifecycle.failed', data: { code: 'AI_ERROR', retryable: true, report: null } });
  expect(text).toMatch(/"type":"error",[^\n]*"code":"ai_error","retryable":true\}\}\n\nid: \d+\ndata: \[DONE\]\n\n$/);
  expect(kept).toMatchObject({ role: 'assistant', content: 'So far, all is', partial: true });
});

it('a turn of a chat that breaks before its first text is tried again', async () => {
  scene.server.script(inTurn(begin(), reset));
  const { log, kept } = await turn();
  expect(scene.server.exchanges).toHaveLength(2);
  const warning = log.find(({ key }) => key === 'system.warning')?.data;
  expect(warning).toMatchObject({ code: 'AI_ERROR', retryable: true, attempt: 1, retry_in_ms: expect.any(Number) });
  expect(log.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  expect(kept).toMatchObject({ role: 'assistant', content: 'All is well.', partial: false });
});
