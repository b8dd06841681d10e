import { Injectable } from '@nestjs/common';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { Described } from './calls/classify-error.js';
import type { Prices, Provider } from './providers/model-settings.js';
import { runbookModel } from './runbook/runbook-model.js';

/** A model that agents may be bound to, as listed at `GET /models`. */
export interface ModelEntry {
  name: string;
  description: string;
  /** Tokens; what is left of it is what `llm.usage` tells. */
  contextWindow: number;
  model: LanguageModelV3;
  /** Undefined: built in, or of a program that starts the service. */
  provider?: Provider;
  /** As the provider calls it. */
  modelId?: string;
  /** Where a person would change what messages complain of. */
  settings?: Described['settings'];
  /** Names of those that take its place, in this order. */
  fallback?: readonly string[];
  /** Shared by all processes. */
  limits?: { concurrency?: number; requestsPerMinute?: number };
  maxOutputTokens?: number;
  prices?: Prices;
  /** It takes no tokens: none are reserved for it. */
  isFree?: boolean;
  /** Whether tool calls are read from the text that it writes. Undefined: until it has made a native one. */
  textToolCalls?: boolean;
  /** ms: how long an answer may take to begin, and be silent. */
  timeouts?: { startMs?: number; silenceMs?: number };
}

const RUNBOOK: ModelEntry = {
  name: 'runbook',
  description:
    'Built in: plans from the topology and concludes by rules. Deterministic, no network, no key.',
  contextWindow: 1_000_000,
  isFree: true,
  model: runbookModel,
};

/** Language models by name. `runbook` is always there and needs no network. */
@Injectable()
export class Models {
  private readonly entries = new Map<string, ModelEntry>([[RUNBOOK.name, RUNBOOK]]);

  /** @param defaultName of agents that name none; must be added by the time it is used */
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

  /** A model and those that take its place; empty where there is no such model. */
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
