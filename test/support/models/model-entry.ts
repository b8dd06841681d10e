import { makeModel } from '../../../src/models/providers/make-model.js';
import type { ModelEntry } from '../../../src/models/models.js';

/** A model of a provider at an address. */
export const entryAt = (
  baseUrl: string,
  name: string,
  more: Partial<ModelEntry> = {},
): ModelEntry => ({
  name,
  description: name,
  contextWindow: 1_000,
  provider: 'openai-compatible',
  model: makeModel(
    { name, provider: 'openai-compatible', model: name, baseUrl, fallback: [] },
    'k',
  ),
  ...more,
});

/** A request with one message of a user. */
export const request = (text: string) => ({
  prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
  tools: [],
});
