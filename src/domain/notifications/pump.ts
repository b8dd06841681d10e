import type { Json, JsonObject } from '../../lib/json.js';
import { accumulate } from './accumulate.js';
import { agentEvent, isSeverity, type AgentEvent } from './agent-event.js';
import { deferralOf, type DeliveryContext } from './deferral.js';
import { enqueue } from './event-queue.js';
import { ruleShowsForeign } from './foreign-text.js';
import type { NotificationState } from './notification-state.js';
import { isTriggeredBy, type Rule } from './rule.js';
import type { Subscriber } from './subscriber.js';
import { fillTemplate } from './template.js';

/** The context of a rule's condition (docs/notifications.md). The pump adds `state` and `event`. */
export type RuleContext = Record<string, unknown>;

/** The result of a condition. `late`: it took too long. */
export type ConditionResult = { holds: boolean } | { error: string; late?: boolean };

/** A log entry of a rule. */
export interface RuleLog {
  rule: string;
  level: 'debug' | 'info' | 'warning' | 'error';
  message: string;
}

/** The first failure of a rule in this dispatch. */
export interface RuleFailure {
  rule: string;
  error: string;
}

/** What the pump needs. The caller provides time, ids and the evaluation of conditions. */
export interface PumpWorld {
  subscribers: readonly Subscriber[];
  /** By priority, highest first. */
  rules: readonly Rule[];
  at: DeliveryContext;
  contextOf(event: AgentEvent): RuleContext;
  test(rule: Rule, context: RuleContext): ConditionResult;
  mint: () => string;
}

/** Maximum length of a chain of rules that trigger each other. */
const DEEPEST = 3;
/** Maximum number of keys that rules may set. */
const MOST_STATE = 100;

/**
 * Passes the queued events to subscribers and rules, in place, oldest first, until the queue is
 * empty, including events that rules emit. All matching rules fire, by priority; a failed rule does
 * not stop the others.
 */
export function pump(
  state: NotificationState,
  world: PumpWorld,
): { logs: RuleLog[]; failures: RuleFailure[] } {
  const logs: RuleLog[] = [];
  const failures: RuleFailure[] = [];
  for (let event = state.queue.events.shift(); event; event = state.queue.events.shift()) {
    accumulate(state, world.subscribers, event, world.at);
    const asked = world.rules.filter((rule) => isAsked(state, rule, event));
    if (asked.length === 0 || (event.depth ?? 0) >= DEEPEST) continue;
    const context = { ...world.contextOf(event), event: shown(event), state: state.state };
    for (const rule of asked) {
      const { id } = rule.rule;
      const verdict = world.test(rule, context);
      let error = 'error' in verdict ? verdict.error : null;
      if ('error' in verdict && verdict.late) state.off.push(id);
      if ('holds' in verdict && verdict.holds) {
        if (rule.rule.once) state.told.push(id);
        error = act(rule, { state, event, context, world, logs });
      }
      if (error === null || state.failed.includes(id)) continue;
      state.failed.push(id);
      failures.push({ rule: id, error });
    }
  }
  return { logs, failures };
}

const isAsked = (state: NotificationState, rule: Rule, event: AgentEvent): boolean =>
  rule.rule.enabled &&
  isTriggeredBy(rule, event) &&
  !state.told.includes(rule.rule.id) &&
  !state.off.includes(rule.rule.id);

const shown = ({ type, source, severity, payload }: AgentEvent): JsonObject => ({
  type,
  source,
  severity,
  payload,
});

/** Where a rule fires. */
interface Occasion {
  state: NotificationState;
  event: AgentEvent;
  context: RuleContext;
  world: PumpWorld;
  logs: RuleLog[];
}

/** Runs the action of a rule, in place. @returns why it could not; null if it could */
function act(
  { rule, action }: Rule,
  { state, event, context, world, logs }: Occasion,
): string | null {
  const { mint, at } = world;
  const isForeign = (template: unknown): boolean =>
    typeof template === 'string' && ruleShowsForeign(template, event, state);
  const emit = (
    type: string,
    payload: JsonObject,
    foreign: string[],
    severity?: AgentEvent['severity'],
  ) =>
    enqueue(
      state.queue,
      agentEvent({
        id: mint(),
        type,
        source: `rule:${rule.id}`,
        now: at.now,
        payload,
        foreign,
        depth: (event.depth ?? 0) + 1,
        ...(severity && { severity }),
      }),
    );
  switch (action.type) {
    case 'notify_self': {
      const { category, priority, deliver_at } = action;
      const message = fillTemplate(action.message, context);
      const payload = { message, category, rule: rule.id, priority, inject_at: deliver_at };
      const foreign = isForeign(action.message) ? ['message'] : [];
      emit('agent.self.notify', payload, foreign, isSeverity(category) ? category : 'info');
      return null;
    }
    case 'log':
      logs.push({
        rule: rule.id,
        level: action.level,
        message: fillTemplate(action.message, context),
      });
      return null;
    case 'set_state':
      if (!Object.hasOwn(state.state, action.key) && Object.keys(state.state).length >= MOST_STATE)
        return null;
      state.foreign = (state.foreign ?? []).filter((key) => key !== action.key);
      if (isForeign(action.value)) state.foreign.push(action.key);
      state.state[action.key] = filled(action.value, context);
      return null;
    case 'emit_event': {
      const entries = Object.entries(action.payload).map(([key, value]) => [
        key,
        typeof value === 'object'
          ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, filled(v, context)]))
          : filled(value, context),
      ]);
      const payload = Object.fromEntries(entries) as JsonObject;
      const foreign = Object.entries(action.payload).flatMap(([key, value]) =>
        (typeof value === 'object' ? Object.values(value) : [value]).some(isForeign) ? [key] : [],
      );
      if (foreign.length > 0 && deferralOf(payload)?.when === 'next_session')
        return 'a notice for the next session may not hold text of results or messages';
      emit(action.event_type, payload, foreign);
      return null;
    }
  }
}

const filled = (value: string | number | boolean, context: RuleContext): Json =>
  typeof value === 'string' ? fillTemplate(value, context) : value;
