import { describe, expect, it } from '@jest/globals';
import { LLMock } from '@copilotkit/aimock';
import { textOf } from '../../src/lib/json.js';
import { loadConfig } from '../../src/config/load-config.js';
import { loadModels } from '../../src/models/providers/load-models.js';
import type { ModelEntry } from '../../src/models/models.js';
import { streamTurn } from '../../src/models/calls/stream-turn.js';
import type { TurnPart } from '../../src/models/calls/turn-part.js';
import { modelScene } from '../support/models/model-scene.js';
import { answer } from '../support/models/provider-server.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { roleOf } from '../support/models/scripted-agents.js';
import { oneWorker } from '../support/incidents/topology.js';

const KEY = 'sk-secret0123456789';

describe.each([
  ['openai', '/v1/chat/completions'],
  ['anthropic', '/v1/messages'],
])('with a key of %s and MODEL set', (provider, path) => {
  const name = provider.toUpperCase();
  const env = (url: string) => ({
    MODEL: `${provider}/some-model`,
    [`${name}_API_KEY`]: KEY,
    [`${name}_BASE_URL`]: url,
  });

  describe('a diagnosis', () => {
    const scene = modelScene(runbookReply);

    it('uses that model without further configuration', async () => {
      const api = await scene.service(env(scene.server.url));
      const events = await scene.diagnose(api, await scene.shop());
      expect(events.at(-1)?.data).toMatchObject({
        partial: false,
        summary: expect.stringContaining('Found 0 warnings, 0 critical issues.'),
      });
      expect(scene.server.exchanges.length).toBeGreaterThanOrEqual(6);
      const usage = events.filter(({ key }) => key === 'llm.usage');
      expect(usage[0]?.data).toMatchObject({
        model: `${provider}/some-model`,
        input_tokens: 10,
        output_tokens: 5,
      });
      expect(JSON.stringify(events)).not.toContain('secret');
      expect((await api.ask('GET', '/models')).text).toMatch(
        /"name":"runbook"[^}]*"default":false.*some-model/,
      );
    });
  });

  it('reads the protocol of another implementation', async () => {
    const mock = new LLMock({ port: 0 });
    mock.onMessage('shop', {
      content: 'I look.',
      toolCalls: [{ name: 'http_probe', arguments: '{"node":"shop"}' }],
    });
    await mock.start();
    try {
      const entry = loadModels(loadConfig(env(mock.url))).entries[0] as ModelEntry;
      const parts: TurnPart[] = [];
      const tools = [
        { type: 'function' as const, name: 'http_probe', inputSchema: { type: 'object' as const } },
      ];
      const prompt = [
        { role: 'user' as const, content: [{ type: 'text' as const, text: 'Is the shop well?' }] },
      ];
      for await (const part of streamTurn(entry, { prompt, tools }, new AbortController().signal))
        parts.push(part);
      expect(parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')).toBe(
        'I look.',
      );
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

describe('with several models', () => {
  const scene = modelScene(runbookReply);

  it('agents choose a model by name; the others use the default', async () => {
    const api = await scene.service(scene.models({ usual: {}, big: {}, small: {} }));
    const { teams, ...rest } = oneWorker(['http_probe'], { model: 'small' });
    const globalSupervisor = { agentId: '1', name: 'Head', model: 'big' };
    const events = await scene.diagnose(
      api,
      await scene.shop({ ...rest, teams, globalSupervisor }),
    );
    expect(events.at(-1)?.data).toMatchObject({ partial: false });
    const asked = new Set(
      scene.server.exchanges.map((exchange) => `${roleOf(exchange)}: ${exchange.body.model}`),
    );
    expect(asked).toEqual(
      new Set(['global_supervisor: big-1', 'team_supervisor: usual-1', 'worker: small-1']),
    );
    const told = new Set(
      events
        .filter(({ key }) => key === 'llm.usage')
        .map(({ source, data }) => `${source.agent_type}: ${textOf(data, 'model')}`),
    );
    expect(told).toEqual(
      new Set(['global_supervisor: big', 'team_supervisor: usual', 'worker: small']),
    );
  });

  it('thoughts of a model are separate from its text', async () => {
    const api = await scene.service(scene.models({ m: {} }));
    scene.server.otherwise = (exchange) =>
      roleOf(exchange) === 'worker'
        ? answer(
            { reasoning: 'Hm, hm.' },
            { text: 'I see.' },
            { call: 'report', args: '{"summary":"Looked at."}' },
          )(exchange)
        : runbookReply(exchange);
    const events = await scene.diagnose(api, await scene.shop());
    const said = events.filter(
      ({ key, source }) => /^llm\.(stream|reasoning)$/.test(key) && source.agent_type === 'worker',
    );
    expect(said.map(({ key, data }) => [key, data['content'] ?? data['thought']])).toEqual([
      ['llm.reasoning', 'Hm, hm.'],
      ['llm.stream', 'I see.'],
      ['llm.stream', '\n\nLooked at.'],
    ]);
  });
});
