import { z } from 'zod';
import { EVENT_TYPE, type AgentEvent } from './agent-event.js';
import { choice, PRIORITIES, template, text, VERSION, whole } from './subscriber.js';

/** Triggers of rules, and the events of each. */
const TRIGGER_TYPES = {
  on_query_start: ['query.start'],
  on_turn_start: ['agent.turn.start'],
  on_turn_end: ['agent.turn.end'],
  on_tool_call: ['tool.call.pending'],
  on_tool_complete: ['tool.call.success'],
  on_tool_failure: ['tool.call.failure', 'tool.call.timeout'],
  on_session_end: ['session.end'],
} as const satisfies Record<string, readonly string[]>;
const TRIGGERS = Object.keys(TRIGGER_TYPES) as [
  keyof typeof TRIGGER_TYPES,
  ...(keyof typeof TRIGGER_TYPES)[],
];

/** Names that expressions and templates may use. */
const RULE_ROOTS = ['turn', 'history', 'topology', 'agent', 'state', 'event', 'result'] as const;
const EXPRESSION_LENGTH = 2_000;

const message = template(RULE_ROOTS);
const scalar = z.union(
  [z.string().max(1_000), z.number(), z.boolean()],
  'must be a text, a number, or true or false',
);

/** A payload is flat, or has tables of texts, numbers and booleans, so that it is never deep. */
const payload = z.record(
  z.string().regex(/^[A-Za-z]\w{0,63}$/, 'must be a name'),
  z.union(
    [scalar, z.record(z.string().regex(/^[A-Za-z]\w{0,63}$/), scalar)],
    'must be a text, a number, true or false, or a table of those',
  ),
  'must be a table',
);

const action = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('notify_self'),
      message,
      category: z
        .string('must be a text')
        .regex(/^[a-z][a-z0-9_]{0,39}$/, 'must be a word')
        .default('info'),
      priority: choice(PRIORITIES).default('normal'),
      deliver_at: choice(['turn_start', 'after_tool', 'immediate']).default('turn_start'),
    }),
    z.strictObject({
      type: z.literal('log'),
      message,
      level: choice(['debug', 'info', 'warning', 'error']).default('info'),
    }),
    z.strictObject({
      type: z.literal('set_state'),
      key: z.string('must be a text').regex(/^[A-Za-z]\w{0,63}$/, 'must be a name'),
      value: scalar,
    }),
    z.strictObject({
      type: z.literal('emit_event'),
      event_type: z
        .string('must be a text')
        .regex(EVENT_TYPE, 'must be a type of event like cache.cold'),
      payload: payload.default({}),
    }),
  ],
  'must be one of notify_self, log, set_state, emit_event',
);

/** A rule as in its file (docs/notifications.md). */
export const ruleFile = z.strictObject(
  {
    rule: z.strictObject(
      {
        id: z
          .string('must be a text')
          .regex(/^[a-z0-9-]{1,64}$/, 'must be of the form ^[a-z0-9-]+$, at most 64 characters'),
        name: text(1, 100),
        description: text(1, 500),
        version: VERSION,
        trigger: choice(TRIGGERS),
        priority: whole(1, 1_000).default(100),
        enabled: z.boolean('must be true or false').default(true),
        core: z.boolean('must be true or false').default(false),
        /** Fires at most once per dispatch. */
        once: z.boolean('must be true or false').default(false),
      },
      'is missing, or no table',
    ),
    condition: z.strictObject(
      { expression: text(1, EXPRESSION_LENGTH) },
      'is missing, or no table',
    ),
    action,
  },
  'must be a table',
);

/** A rule: actions to take if a condition holds at a trigger. */
export type Rule = z.infer<typeof ruleFile>;

/** Whether an event triggers a rule. */
export const isTriggeredBy = ({ rule }: Rule, { type }: Pick<AgentEvent, 'type'>): boolean =>
  (TRIGGER_TYPES[rule.trigger] as readonly string[]).includes(type);
