import { Injectable } from '@nestjs/common';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { ModelSettingNames } from './calls/classify-error.js';
import type { Prices } from './providers/model-settings.js';
import type { TurnPart, TurnRequest } from './calls/turn-part.js';
import { answerAtOnce, runbookModel } from './runbook/runbook-model.js';

/** A model that agents may be bound to, as listed at `GET /models`. */
export interface ModelEntry {
  name: string;
  description: string;
  /** Tokens. `llm.usage` reports how much of it is left. */
  contextWindow: number;
  model: LanguageModelV3;
  /** Undefined for a model that is built in or that the embedding program supplies. */
  provider?: string;
  /** The id of the model at the provider. */
  modelId?: string;
  /** Where to change each setting, for error messages. */
  settings?: ModelSettingNames['settings'];
  /** Names of the fallback models, in this order. */
  fallback?: readonly string[];
  /** Limits over all processes. */
  limits?: { concurrency?: number; requestsPerMinute?: number };
  maxOutputTokens?: number;
  prices?: Prices;
  /** The model uses no tokens, so that none are reserved for it. */
  isFree?: boolean;
  /**
   * The whole answer of a model that runs in this process and needs no time. Only for a model
   * without limits and fallbacks.
   */
  answer?: (request: Pick<TurnRequest, 'prompt' | 'tools'>) => TurnPart[];
  /** Whether tool calls in its text are executed. Undefined: until it has made a native call. */
  textToolCalls?: boolean;
  /** ms: how long an answer may take to begin, and how long it may be silent. */
  timeouts?: { startMs?: number; silenceMs?: number };
}

const RUNBOOK: ModelEntry = {
  name: 'runbook',
  description:
    'Built in: plans from the topology and concludes by rules. Deterministic, no network, no key.',
  contextWindow: 1_000_000,
  isFree: true,
  model: runbookModel,
  answer: answerAtOnce,
};

/** Language models by name. `runbook` is always available and needs no network. */
@Injectable()
export class Models {
  private readonly entries = new Map<string, ModelEntry>([[RUNBOOK.name, RUNBOOK]]);

  /**
   * @param defaultName the model of agents that name none; `runbook` is used if `entries` has no
   *   such model
   */
  constructor(
    entries: readonly ModelEntry[] = [],
    private readonly defaultName: string = RUNBOOK.name,
  ) {
    for (const entry of entries) this.entries.set(entry.name, entry);
  }

  get default(): ModelEntry {
    return this.entries.get(this.defaultName) ?? RUNBOOK;
  }

  /** The model that a binding names, or the default. */
  get(name: string = this.default.name): ModelEntry | undefined {
    return this.entries.get(name);
  }

  /** Returns a model and its fallbacks; empty if there is no such model. */
  chain(name?: string): ModelEntry[] {
    const first = this.get(name);
    return first
      ? [first, ...(first.fallback ?? []).flatMap((other) => this.get(other) ?? [])]
      : [];
  }

  list(): ModelEntry[] {
    return [...this.entries.values()];
  }
}
