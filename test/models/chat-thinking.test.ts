import { expect, test } from '@jest/globals';
import { ask } from '../support/chat.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer } from '../support/models/provider-server.js';

const scene = modelScene(answer({ text: 'There is none.' }));

test.each([
  [
    'claude-sonnet-4-5',
    { provider: 'anthropic' },
    'thinking',
    { type: 'enabled', budget_tokens: 2_048 },
    undefined,
  ],
  [
    'gpt-5-mini',
    { provider: 'openai', api: 'responses' },
    'reasoning',
    { summary: 'auto' },
    { summary: 'auto' },
  ],
  ['claude-3-haiku', { provider: 'anthropic' }, 'thinking', undefined, undefined],
  ['gpt-4.1', { provider: 'openai', api: 'responses' }, 'reasoning', undefined, undefined],
])(
  '%s is asked for its reasoning if the caller wants to see it',
  async (model, settings, key, first, afterCall) => {
    const { url } = await scene.service(scene.models({ m: { model, ...settings } }));
    const turn = () =>
      scene.server.script(
        answer({ reasoning: 'Let me see.' }, { call: 'list_topologies', args: '{}' }),
      );
    turn();
    const { events } = await ask(`${url}/api/oracle/stream`, {
      question: 'Which topologies are there?',
      thinking: true,
    });
    expect(scene.server.exchanges.map(({ body }) => body[key])).toEqual([first, afterCall]);
    expect(events.map(({ data }) => data)).toContainEqual({
      type: 'thinking',
      content: 'Let me see.',
    });
    expect(events.at(-1)?.data).toMatchObject({ type: 'done' });
    turn();
    await ask(`${url}/api/oracle/stream`, { question: 'Which topologies are there?' });
    expect(scene.server.exchanges.slice(2).map(({ body }) => body[key])).toEqual([
      undefined,
      undefined,
    ]);
  },
);
