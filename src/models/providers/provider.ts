import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { ModelSettings } from './model-settings.js';

/** Options of a call besides its prompt and tools. */
export interface CallWish {
  /** The id of the model at the provider. */
  modelId: string;
  /** The protocol, as its package calls it: `openai.responses`. */
  protocol: string;
  /** The caller wants to see the reasoning. */
  thinking: boolean;
}

/** A provider of language models: everything that the service needs to know about it. */
export interface Provider {
  /** As in MODELS_FILE, and before the slash in MODEL. ^[a-z][a-z0-9-]*$ */
  name: string;
  /** Where its models are, for their descriptions: "by openai". */
  title: string;
  /**
   * Its own service: the default address, and the variables with a key and with another address.
   * Undefined: a model needs `baseUrl`.
   */
  own?: { baseUrl: string; keyVariable: string; addressVariable: string };
  /** The protocols that `api` chooses from, if there are several. */
  apis?: readonly NonNullable<ModelSettings['api']>[];
  /**
   * Creates a model. Calls go through `countingFetch` (chat completions: `chatFetch`), so that a
   * silent provider is noticed and errors can be read.
   * @param key undefined: none is sent
   */
  create(
    settings: Pick<ModelSettings, 'model' | 'api'> & { baseUrl: string },
    key: string | undefined,
  ): LanguageModelV3;
  /** Takes a prompt whose instructions are several system messages; others get one. */
  takesSystemParts?: true;
  /** Adds to a request what only this provider needs. */
  adapt?(call: LanguageModelV3CallOptions, wish: CallWish): LanguageModelV3CallOptions;
}

/** Passed to packages if there is no key. Otherwise they would read a variable of their own. */
export const NO_KEY = 'none';

/** Whether an address is that of the provider itself. */
export const isOwnAddress = ({ own }: Provider, baseUrl: string): boolean =>
  own !== undefined && new URL(baseUrl).hostname === new URL(own.baseUrl).hostname;
