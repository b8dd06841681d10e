import { ruleFile, type Rule } from '../domain/notifications/rule.js';
import type { Verdict } from '../domain/notifications/pump.js';
import { compileCondition, type Condition } from './condition.js';
import { loadFiles, shipped, type Loaded } from './load-files.js';
import type { RuleView } from './rule-view.js';

const { shape } = ruleFile;

/** The rules that agents are accompanied by: the shipped ones, and those of RULES_DIR. */
export class Rules {
  readonly loaded: readonly Loaded<Rule>[];
  /** Those that are asked, by priority, highest first, then by id. */
  readonly active: readonly Rule[];
  private readonly conditions = new Map<string, Condition>();

  /**
   * @param folder of a user's rules; undefined: none
   * @throws ConsiliumError `VALIDATION_FAILED` with everything that is wrong
   */
  constructor(folder?: string, shippedFolder: string = shipped('rules')) {
    this.loaded = loadFiles(
      {
        title: 'Rules',
        schema: ruleFile,
        known: { '': Object.keys(shape), rule: Object.keys(shape.rule.shape), condition: Object.keys(shape.condition.shape) },
        idOf: ({ rule }) => rule.id,
        idPath: 'rule.id',
        isCore: ({ rule }) => rule.core,
        isEnabled: ({ rule }) => rule.enabled,
        check: ({ rule, condition }) => {
          const compiled = compileCondition(condition.expression);
          if ('fault' in compiled) return { path: 'condition.expression', message: compiled.fault };
          this.conditions.set(rule.id, compiled.condition);
          return undefined;
        },
      },
      shippedFolder,
      folder,
    );
    this.active = this.loaded
      .map(({ value }) => value)
      .filter(({ rule }) => rule.enabled)
      .toSorted((a, b) => b.rule.priority - a.rule.priority || (a.rule.id < b.rule.id ? -1 : 1));
  }

  /** Asks the condition of a rule. Never throws. */
  test({ rule }: Rule, view: RuleView): Verdict {
    return this.conditions.get(rule.id)?.(view) ?? { error: 'there is no such rule' };
  }
}
