import { describe, expect, it } from '@jest/globals';
import type { Api } from '../support/api.js';
import { ask } from '../support/chat.js';
import { expectValid } from '../support/streams/event-stream.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer } from '../support/models/provider-server.js';
import { isLibrarian } from '../support/models/runbook-provider.js';
import { tokensOf } from '../support/models/tokens-of.js';

describe('an oracle on a model with a window of 8,000 tokens', () => {
  const scene = modelScene();
  const most = 8_000;
  const service = () => scene.service(scene.models({ small: { contextWindow: most } }));
  const say = (api: Api, message: string) =>
    ask(`${api.url}/chat/stream`, { message, session_id: 'long' });

  it('continues a long conversation, with a note on the omitted part', async () => {
    const sent: { tokens: number; text: string }[] = [];
    scene.server.otherwise = (exchange) => {
      const tokens = tokensOf(exchange.body);
      sent.push({ tokens, text: JSON.stringify(exchange.body) });
      return answer(
        { text: `Answer ${sent.length}: `.padEnd(4_000, 'lorem ipsum ') },
        { end: 'stop', usage: [tokens, 900] },
      )(exchange);
    };
    const api = await service();
    for (let i = 1; i <= 8; i++) await say(api, `Question ${i}`);
    expect(sent).toHaveLength(8);
    expect(Math.max(...sent.map(({ tokens }) => tokens))).toBeLessThanOrEqual(most);
    expect(sent.at(-1)?.text).toMatch(
      /\[\d+ earlier messages of this conversation were left out, to save room\]/,
    );
    expect(sent.at(-1)?.text).toContain('Answer 7');
    expect(sent.at(-1)?.text).not.toContain('Answer 1:');
  });

  it('lets the librarian summarise a listing of more than ten entries', async () => {
    const api = await service();
    for (let i = 0; i < 11; i++) await api.store(await scene.shop());
    const texts: string[] = [];
    scene.server.otherwise = (exchange) => {
      if (isLibrarian(exchange)) return answer({ text: 'Eleven of them.' })(exchange);
      texts.push(JSON.stringify(exchange.body));
      return answer(
        texts.length === 1
          ? { call: 'list_topologies', args: '{}' }
          : { text: 'There are eleven.' },
      )(exchange);
    };
    const { runId } = await say(api, 'What is there?');
    expect(texts[1]).toContain('Eleven of them.');
    expect(texts[1]).toContain('read_result with the id t1');
    const events = expectValid(await api.log(runId));
    const own = events.filter(({ data }) => data['dispatch_id'] === 'top_l1');
    expect(own.map(({ key }) => key)).toEqual(['dispatch.worker', 'llm.usage', 'dispatch.report']);
    expect(own.at(-1)).toMatchObject({
      source: { agent_id: 'oracle.librarian', agent_type: 'oracle' },
      data: { status: 'ok' },
    });
    expect(events.at(-1)?.data).toMatchObject({ partial: false, summary: 'There are eleven.' });
  });
});
