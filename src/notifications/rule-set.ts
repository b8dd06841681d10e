import type { Fault } from '../domain/errors.js';
import type { ConditionResult } from '../domain/notifications/pump.js';
import type { Rule } from '../domain/notifications/rule.js';
import { compileCondition, type RuleCondition } from './condition.js';
import type { RuleView } from './rule-view.js';

/** Rules with compiled conditions. */
export class RuleSet {
  /** Enabled rules by priority (highest first), then by id. */
  readonly active: readonly Rule[];
  private readonly conditions = new Map<string, RuleCondition>();

  /** @throws Error if a condition is not valid; see {@link faultIn} */
  constructor(rules: readonly Rule[]) {
    this.active = rules
      .filter(({ rule }) => rule.enabled)
      .toSorted((a, b) => b.rule.priority - a.rule.priority || (a.rule.id < b.rule.id ? -1 : 1));
    for (const { rule, condition } of this.active) {
      const compiled = compileCondition(condition.expression);
      if ('fault' in compiled)
        throw new Error(`the condition of the rule "${rule.id}" ${compiled.fault}`);
      this.conditions.set(rule.id, compiled.condition);
    }
  }

  /** Evaluates the condition of a rule. Never throws. */
  test({ rule }: Rule, view: RuleView): ConditionResult {
    return this.conditions.get(rule.id)?.(view) ?? { error: 'unknown rule' };
  }
}

/** The fault of a rule's condition, and its path. */
export function faultIn({ condition }: Rule): Fault | undefined {
  const compiled = compileCondition(condition.expression);
  return 'fault' in compiled
    ? { path: 'condition.expression', message: compiled.fault }
    : undefined;
}
