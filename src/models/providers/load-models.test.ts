import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../config/load-config.js';
import { loadModels } from './load-models.js';
import { KEY, faultsOf, load } from '../../../test/support/models/load-models.js';

it('lets MODEL name a model that the embedding program supplies', () => {
  expect(loadModels(loadConfig({ MODEL: 'mine' }), ['mine'])).toEqual({
    entries: [],
    default: 'mine',
  });
});

describe('models from variables', () => {
  it('are absent without MODEL, and runbook is the default', () => {
    expect(load({})).toEqual({ entries: [], default: 'runbook' });
    expect(load({ OPENAI_API_KEY: KEY })).toEqual({ entries: [], default: 'runbook' });
  });

  it.each([
    [{ MODEL: 'openai/gpt-4.1', OPENAI_API_KEY: KEY }, 'openai.responses', 1_047_576, false],
    [
      { MODEL: 'anthropic/claude-sonnet-4-5', ANTHROPIC_API_KEY: KEY },
      'anthropic.messages',
      200_000,
      false,
    ],
    [
      { MODEL: 'openai/qwen3:8b', OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' },
      'openai-compatible.chat',
      32_768,
      undefined,
    ],
    [
      {
        MODEL: 'openai/deepseek/deepseek-chat',
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: 'https://openrouter.ai/api/v1',
      },
      'openai-compatible.chat',
      64_000,
      undefined,
    ],
    [
      { MODEL: 'anthropic/mine', ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' },
      'anthropic.messages',
      16_384,
      undefined,
    ],
  ])('are created from %j', (env, provider, contextWindow, textToolCalls) => {
    const loaded = load(env);
    expect(loaded.default).toBe(env.MODEL);
    const modelId = env.MODEL.slice(env.MODEL.indexOf('/') + 1);
    expect(loaded.entries).toMatchObject([
      { name: env.MODEL, modelId, contextWindow, model: { provider, modelId } },
    ]);
    expect(loaded.entries[0]?.textToolCalls).toBe(textToolCalls);
  });

  it.each([
    [
      { MODEL: 'openai/gpt-4.1' },
      'OPENAI_API_KEY',
      /is not set; the model openai\/gpt-4\.1 needs it/,
    ],
    [{ MODEL: 'anthropic/x', OPENAI_API_KEY: KEY }, 'ANTHROPIC_API_KEY', /is not set/],
    [
      { MODEL: 'openai/x', OPENAI_API_KEY: 'sk-secret with a\nline' },
      'OPENAI_API_KEY',
      /characters that no key has/,
    ],
    [
      { MODEL: 'openai/x', OPENAI_BASE_URL: 'http://me:secret@host/v1' },
      'OPENAI_BASE_URL',
      /no user and password/,
    ],
    [
      { MODEL: 'openai/x', OPENAI_API_KEY: KEY, OPENAI_BASE_URL: 'localhost:11434' },
      'OPENAI_BASE_URL',
      /must begin with http/,
    ],
    [
      { MODEL: 'gpt-4.1' },
      'MODEL',
      /neither runbook nor openai\/MODEL-ID .*; whatever else .* MODELS_FILE, which is not set/,
    ],
    [{ MODEL: 'unknown/large' }, 'MODEL', /neither runbook/],
  ])('are refused: %j', (env, path, message) => {
    expect(faultsOf(env)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  it('need no key in a process that calls no model', () => {
    expect(load({ MODEL: 'openai/gpt-4.1', ROLE: 'api', REDIS_URL: 'redis://r' }).default).toBe(
      'openai/gpt-4.1',
    );
  });

  it('ignore white space around a key', () => {
    expect(load({ MODEL: 'openai/gpt-4.1', OPENAI_API_KEY: `${KEY}\n` }).entries).toHaveLength(1);
  });
});
