import { Injectable } from '@nestjs/common';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { runbookModel } from './runbook/runbook-model.js';

/** A model that agents may be bound to, as listed at `GET /models`. */
export interface ModelEntry {
  name: string;
  description: string;
  /** Tokens; what is left of it is what `llm.usage` tells. */
  contextWindow: number;
  model: LanguageModelV3;
}

/** Language models by name. `runbook` is always there and needs no network. */
@Injectable()
export class Models {
  private readonly entries = new Map<string, ModelEntry>();

  constructor() {
    this.add({
      name: 'runbook',
      description: 'Built in: plans from the topology and concludes by rules. Deterministic, no network, no key.',
      contextWindow: 1_000_000,
      model: runbookModel,
    });
  }

  add(entry: ModelEntry): void {
    this.entries.set(entry.name, entry);
  }

  /** The model that a binding names, or the default. */
  get(name = 'runbook'): ModelEntry | undefined {
    return this.entries.get(name);
  }

  list(): ModelEntry[] {
    return [...this.entries.values()];
  }
}
