import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LLMock } from '@copilotkit/aimock';
import { loadConfig } from '../../src/config/load-config.js';
import { loadModels } from '../../src/models/load-models.js';
import type { ModelEntry } from '../../src/models/models.js';
import { streamTurn, type TurnPart } from '../../src/models/stream-turn.js';
import { startProviderServer, type ProviderServer } from '../support/provider-server.js';
import { runbookReply } from '../support/runbook-provider.js';
import { expectValid } from '../support/event-stream.js';
import { Scene } from '../support/scene.js';
import { healthy, httpTarget } from '../support/target.js';
import { topologyOf } from '../support/topology.js';

const KEY = 'sk-secret0123456789';

describe.each([
  ['openai', '/v1/chat/completions'],
  ['anthropic', '/v1/messages'],
])('with a key of %s and MODEL set', (provider, path) => {
  const name = provider.toUpperCase();
  const env = (url: string) => ({ MODEL: `${provider}/some-model`, [`${name}_API_KEY`]: KEY, [`${name}_BASE_URL`]: url });

  describe('a diagnosis', () => {
    let scene: Scene;
    let server: ProviderServer;
    beforeEach(async () => {
      scene = new Scene();
      server = await startProviderServer();
      server.otherwise = runbookReply;
    });
    afterEach(async () => {
      await scene.close();
      await server.close();
    });

    it('is made by that model, and nothing else has to be configured', async () => {
      const api = await scene.service(env(server.url));
      const id = await api.store(topologyOf({ shop: await httpTarget(scene.targets, healthy) }));
      const events = expectValid((await (await api.trigger(id)).end()).text);
      expect(events.at(-1)?.data).toMatchObject({
        partial: false,
        summary: expect.stringContaining('Found 0 warnings, 0 critical issues.'),
      });
      expect(server.exchanges.length).toBeGreaterThanOrEqual(6);
      const usage = events.filter(({ key }) => key === 'llm.usage');
      expect(usage[0]?.data).toMatchObject({ model: `${provider}/some-model`, input_tokens: 10, output_tokens: 5 });
      expect(JSON.stringify(events)).not.toContain('secret');
      expect((await api.ask('GET', '/models')).text).toMatch(/"name":"runbook"[^}]*"default":false.*some-model/);
    });
  });

  it('an implementation of the protocol by others is understood', async () => {
    const mock = new LLMock({ port: 0 });
    mock.onMessage('shop', { content: 'I look.', toolCalls: [{ name: 'http_probe', arguments: '{"node":"shop"}' }] });
    await mock.start();
    try {
      const entry = loadModels(loadConfig(env(mock.url))).entries[0] as ModelEntry;
      const parts: TurnPart[] = [];
      const tools = [{ type: 'function' as const, name: 'http_probe', inputSchema: { type: 'object' as const } }];
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Is the shop well?' }] }];
      for await (const part of streamTurn(entry, { prompt, tools }, new AbortController().signal)) parts.push(part);
      expect(parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')).toBe('I look.');
      expect(parts.slice(-2)).toMatchObject([
        { type: 'tool-call', tool: 'http_probe', input: '{"node":"shop"}' },
        { type: 'finish', reason: 'tool-calls' },
      ]);
      expect(mock.getRequests()[0]).toMatchObject({ path });
    } finally {
      await mock.stop();
    }
  });
});
