import { describe, expect, it } from '@jest/globals';
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { makeModel } from './make-model.js';
import { isOwnAddress } from './provider.js';
import { providerNamed, providerOf, PROVIDERS } from './registry.js';

const user = (text: string) => ({
  role: 'user' as const,
  content: [{ type: 'text' as const, text }],
});
const call = (more: Partial<LanguageModelV3CallOptions> = {}): LanguageModelV3CallOptions => ({
  prompt: [
    { role: 'system', content: 'You look.' },
    { role: 'system', content: 'Your place.' },
    user('Look.'),
  ],
  tools: [{ type: 'function', name: 'look', inputSchema: { type: 'object' } }],
  ...more,
});

describe('the providers', () => {
  it.each(PROVIDERS.map((provider) => [provider.name, provider] as const))(
    '%s creates a model that is recognised as its own',
    (name, provider) => {
      const baseUrl = 'http://127.0.0.1:1/v1';
      const model = provider.create({ model: 'm', baseUrl, api: provider.apis?.[0] }, undefined);
      expect(model.modelId).toBe('m');
      expect(providerOf(model, name)).toBe(provider);
      expect(providerNamed(name)).toBe(provider);
      expect(isOwnAddress(provider, baseUrl)).toBe(false);
      if (provider.own) expect(isOwnAddress(provider, provider.own.baseUrl)).toBe(true);
    },
  );

  it('are found by the package that created a model', () => {
    expect(providerOf({ provider: 'anthropic.messages' } as LanguageModelV3)?.name).toBe(
      'anthropic',
    );
    expect(providerOf({ provider: 'mine' } as LanguageModelV3)).toBeUndefined();
  });

  it('without an address need one', () => {
    const settings = { name: 'x', provider: 'openai-compatible', model: 'm', fallback: [] };
    expect(() => makeModel(settings, 'k')).toThrow(RangeError);
    expect(() => makeModel({ ...settings, provider: 'unknown' }, 'k')).toThrow(RangeError);
  });
});

describe('a request', () => {
  const adapt = (name: string, wish: object = {}, more: Partial<LanguageModelV3CallOptions> = {}) =>
    providerNamed(name)?.adapt?.(call(more), {
      modelId: 'm',
      protocol: `${name}.responses`,
      thinking: false,
      ...wish,
    });

  it('to Anthropic marks instructions and the last message for the cache', () => {
    const prompt = adapt('anthropic')?.prompt ?? [];
    const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    expect(prompt.map(({ providerOptions }) => providerOptions)).toEqual([cached, cached, cached]);
    const long = adapt('anthropic', {}, { prompt: [...call().prompt, user('And?')] })?.prompt ?? [];
    expect(long.map(({ providerOptions }) => providerOptions !== undefined)).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('to Anthropic asks for thoughts only before the first call, of models that have them', () => {
    const options = (modelId: string, prompt = call().prompt) =>
      adapt('anthropic', { modelId, thinking: true }, { prompt })?.providerOptions;
    expect(options('claude-sonnet-4-5')).toMatchObject({
      anthropic: { thinking: { type: 'enabled' } },
    });
    expect(options('claude-3-haiku')).toBeUndefined();
    const called = [
      ...call().prompt,
      {
        role: 'assistant' as const,
        content: [{ type: 'tool-call' as const, toolCallId: 't1', toolName: 'look', input: {} }],
      },
    ];
    expect(options('claude-sonnet-4-5', called)).toBeUndefined();
  });

  it("to OpenAI's responses API makes no schema strict", () => {
    expect(adapt('openai')?.tools).toMatchObject([{ name: 'look', strict: false }]);
    expect(adapt('openai', { protocol: 'openai.chat' })?.tools).toEqual(call().tools);
    expect(adapt('openai', { modelId: 'gpt-5', thinking: true })?.providerOptions).toEqual({
      openai: { reasoningSummary: 'auto' },
    });
  });
});
