/** Who is spoken with, and how. */
export const PROVIDERS = ['openai', 'anthropic', 'openai-compatible'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Of the currency that the file is kept in, for a million tokens. */
export interface Prices {
  input: number;
  output: number;
  /** Of input that the provider had kept; `input` where it is not said. */
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/** A language model as it is configured: a part of the models file, or what `MODEL` says. */
export interface ModelSettings {
  name: string;
  provider: Provider;
  /** As the provider calls it. */
  model: string;
  /** Undefined: the provider's own. */
  baseUrl?: string | undefined;
  /** The protocol of an OpenAI server. */
  api?: 'chat' | 'responses' | undefined;
  /** The variable that holds the key. Undefined: none is sent. */
  apiKeyEnv?: string | undefined;
  contextWindow?: number | undefined;
  maxOutputTokens?: number | undefined;
  prices?: Prices | undefined;
  /** Calls under way at once, of all processes. */
  concurrency?: number | undefined;
  requestsPerMinute?: number | undefined;
  /** Who takes its place, in this order. */
  fallback: string[];
  /** How long an answer may take to begin, and be silent. */
  startTimeoutSeconds?: number | undefined;
  silenceTimeoutSeconds?: number | undefined;
  /**
   * Whether tool calls are read from the text that it writes. Undefined: not if it is one of the providers' own models, else
   * until it has made a native call.
   */
  textToolCalls?: boolean | undefined;
}
