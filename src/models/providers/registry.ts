import type { LanguageModelV3 } from '@ai-sdk/provider';
import { anthropic } from './anthropic/anthropic.js';
import { openaiCompatible } from './openai-compatible/openai-compatible.js';
import { openai } from './openai/openai.js';
import type { Provider } from './provider.js';

/** The providers of language models. */
export const PROVIDERS: readonly Provider[] = [openai, anthropic, openaiCompatible];

export const providerNamed = (name: string): Provider | undefined =>
  PROVIDERS.find((provider) => provider.name === name);

/**
 * The provider of a model, also of one that the embedding program created with the provider's
 * package.
 */
export const providerOf = (model: LanguageModelV3, name?: string): Provider | undefined =>
  PROVIDERS.find((provider) =>
    name === undefined ? model.provider.startsWith(`${provider.name}.`) : provider.name === name,
  );
