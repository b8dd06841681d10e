// The rules of the engine that stand in tables: which of them speak in an incident, and the engine
// without one of them.
import { EFFECTS } from '../../../src/engine/changes/mechanisms/mechanism.ts';
import { EXTERNAL_RULES } from '../../../src/engine/outside/external-causes.ts';
import { OUTPUT_RULES } from '../../../src/domain/failure-texts/output-rules.ts';
import { LINE_RULES } from '../../../src/domain/failure-texts/kind-of-text.ts';
import { METRIC_RULES } from '../../../src/engine/series/meaning-of-metric.ts';
import { SYMPTOM_PATTERNS } from '../../../src/engine/symptoms.ts';

const NEVER = /(?!)/;

/** A pattern that says when it has matched. */
class Heard extends RegExp {
  constructor(pattern, hear) {
    super(pattern);
    this.hear = hear;
  }
  exec(text) {
    const found = super.exec(text);
    if (found !== null) this.hear();
    return found;
  }
}

const inRecord = (kind, record) =>
  Object.entries(record).map(([name, pattern]) => ({
    kind,
    name,
    pattern,
    set: (value) => (record[name] = value),
  }));
const inList = (kind, list) =>
  list.map((rule, i) => ({
    kind,
    name: `${rule.kind ?? 'other'} ${i + 1}`,
    pattern: rule.pattern,
    set: (value) => (rule.pattern = value),
  }));

const PATTERNS = [
  ...inRecord('symptom of a text', SYMPTOM_PATTERNS),
  ...inList('cause outside', EXTERNAL_RULES),
  ...inList('log line', LINE_RULES),
  ...inList('output', OUTPUT_RULES),
  ...inList('metric', METRIC_RULES),
];

/** Every rule: `{kind, name, without(work)}`. */
export const RULES = [
  ...Object.entries(EFFECTS).map(([name, effects]) => ({
    kind: 'mechanism of a change',
    name,
    without: (work) => {
      EFFECTS[name] = {};
      const result = work();
      EFFECTS[name] = effects;
      return result;
    },
  })),
  ...PATTERNS.map(({ kind, name, pattern, set }) => ({
    kind,
    name,
    without: (work) => {
      set(NEVER);
      const result = work();
      set(pattern);
      return result;
    },
  })),
];
const keyOf = ({ kind, name }) => `${kind} ${name}`;

/** What a piece of work gives, and the rules that spoke in it. */
export function listen(work) {
  const heard = new Set();
  const before = Object.entries(EFFECTS);
  for (const [name, effects] of before)
    Object.defineProperty(EFFECTS, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        heard.add(keyOf({ kind: 'mechanism of a change', name }));
        return effects;
      },
    });
  for (const { kind, name, pattern, set } of PATTERNS)
    set(new Heard(pattern, () => heard.add(keyOf({ kind, name }))));
  const result = work();
  for (const [name, effects] of before)
    Object.defineProperty(EFFECTS, name, {
      configurable: true,
      enumerable: true,
      writable: true,
      value: effects,
    });
  for (const { set, pattern } of PATTERNS) set(pattern);
  return { result, isHeard: (rule) => heard.has(keyOf(rule)) };
}
