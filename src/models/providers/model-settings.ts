/** Prices for a million tokens, in the currency that the file uses. */
export interface Prices {
  input: number;
  output: number;
  /** Price of input that the provider read from its cache. Default: `input`. */
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/** The settings of a language model, from the models file or from `MODEL`. */
export interface ModelSettings {
  name: string;
  /** The name of a provider of the registry. */
  provider: string;
  /** The id of the model at the provider. */
  model: string;
  /** Undefined: the provider's own address. */
  baseUrl?: string | undefined;
  /** The protocol of an OpenAI server. */
  api?: 'chat' | 'responses' | undefined;
  /** Name of the variable that holds the key. Undefined: no key is sent. */
  apiKeyEnv?: string | undefined;
  contextWindow?: number | undefined;
  maxOutputTokens?: number | undefined;
  prices?: Prices | undefined;
  /** Maximum concurrent calls over all processes. */
  concurrency?: number | undefined;
  requestsPerMinute?: number | undefined;
  /** Names of the fallback models, in this order. */
  fallback: string[];
  /** How long an answer may take to begin, and how long it may be silent. */
  startTimeoutSeconds?: number | undefined;
  silenceTimeoutSeconds?: number | undefined;
  /**
   * Whether tool calls in the text of the model are executed. Undefined: no for models of OpenAI
   * and Anthropic themselves; for all others, until the model has made a native call.
   */
  textToolCalls?: boolean | undefined;
}
