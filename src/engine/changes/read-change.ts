import type { Change } from '../../domain/telemetry/records.js';
import { contracts } from './mechanisms/contracts.js';
import { controlFlow } from './mechanisms/control-flow.js';
import { dataAccess } from './mechanisms/data-access.js';
import type { Mechanism } from './mechanisms/mechanism.js';
import { operations } from './mechanisms/operations.js';
import { readDiff, type DiffView } from './read-diff.js';
import { resources } from './mechanisms/resources.js';
import { changedMachines, changedSettings } from './mechanisms/settings.js';
import { changedVersions } from './mechanisms/versions.js';
import { namesInCode } from './code-names.js';
import { wholeWords } from './words.js';

export interface ReadChange {
  view: DiffView;
  /** Its possibly harmful effects. */
  mechanisms: Mechanism[];
  /** Its words with their weights, 0 to 1. */
  words: Map<string, number>;
  /** Its words as they are written, by those without endings. */
  written: Map<string, Set<string>>;
  /** Names in the lines that it changes. */
  names: Set<string>;
}

const RULES = [
  changedSettings,
  changedMachines,
  changedVersions,
  dataAccess,
  resources,
  controlFlow,
  contracts,
  operations,
];

/**
 * The effect of a change, by rules over the added and removed lines of its diff. No language is
 * parsed.
 */
export function readChange(change: Change): ReadChange {
  const view = readDiff(change);
  const mechanisms = view.cosmetic ? [] : RULES.flatMap((rule) => rule(view));
  const words = new Map<string, number>();
  const written = new Map<string, Set<string>>();
  const count = (text: string, weight: number) => {
    for (const [whole, word] of wholeWords(text)) {
      words.set(word, Math.max(words.get(word) ?? 0, weight));
      written.set(word, (written.get(word) ?? new Set()).add(whole));
    }
  };
  count(view.changed.join(' '), 1);
  count(view.files.join(' '), 0.6);
  count(view.comments.join(' '), 0.4);
  count(change.message ?? '', 0.5);
  return { view, mechanisms, words, written, names: namesInCode(view.changed) };
}
