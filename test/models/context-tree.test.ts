import { describe, expect, it } from '@jest/globals';
import type { Api } from '../support/api.js';
import { readTask } from '../../src/domain/prompt/task-message.js';
import { ask } from '../support/chat.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer } from '../support/models/provider-server.js';

const scene = modelScene();

/**
 * Asks a question in the oracle panel. Returns its context and the messages that its model
 * received.
 */
async function question(api: Api, words: string, context_id?: string) {
  const asked = scene.server.exchanges.length;
  const { events } = await ask(`${api.url}/api/oracle/stream`, {
    question: words,
    ...(context_id !== undefined && { context_id }),
  });
  const done = events.find(({ data }) => data['type'] === 'done')?.data;
  const sent = scene.server.exchanges
    .slice(asked)
    .flatMap(({ body }) => body['messages'] as { role: string; content: unknown }[]);
  const said = sent
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => [role, String(content)])
    .map(([role, content = '']) => `${role}: ${readTask(content)?.task ?? content}`);
  return {
    context: String(done?.['context_id']),
    said: said.filter((line) => !line.includes('[system notification]')),
  };
}

describe('a conversation continues from its context', () => {
  it('its model receives only the path to that exchange, also from another process', async () => {
    scene.server.otherwise = (exchange) => answer({ text: `Answer ${exchange.number}.` })(exchange);
    const api = await scene.service(scene.hosted());
    const first = await question(api, 'Query 1');
    expect(first.said).toEqual(['user: Query 1']);
    const second = await question(api, 'Query 2', first.context);
    expect(second.said).toEqual(['user: Query 1', 'assistant: Answer 1.', 'user: Query 2']);
    await scene.scene.stop(api);

    const again = await scene.service(scene.hosted());
    const third = await question(again, 'Query 3', second.context);
    expect(third.said).toEqual([...second.said, 'assistant: Answer 2.', 'user: Query 3']);
    const fork = await question(again, 'Another query 2', first.context);
    expect(fork.said).toEqual(['user: Query 1', 'assistant: Answer 1.', 'user: Another query 2']);
    const fresh = await question(again, 'Something else');
    expect(fresh.said).toEqual(['user: Something else']);
  });
});
