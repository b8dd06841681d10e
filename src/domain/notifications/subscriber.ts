import { z } from 'zod';
import { SEVERITIES } from './agent-event.js';
import { templateFault } from './template.js';

/** Order of delivery of notifications. */
export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Points at which a notification is delivered to the model; `immediate` is the next of them. */
export const POINTS = ['immediate', 'turn_start', 'after_tool', 'turn_end'] as const;
export type Point = (typeof POINTS)[number];

/** Names that a subscriber's template may use. */
const ROOTS = ['id', 'type', 'source', 'severity', 'timestamp', 'payload'] as const;

const text = (least: number, most: number) => {
  const words = `must be a text of ${least} to ${most} characters`;
  return z.string(words).min(least, words).max(most, words);
};
const whole = (least: number, most: number) => {
  const words = `must be an integer from ${least} to ${most}`;
  return z.int(words).min(least, words).max(most, words);
};
const VERSION = z
  .string('must be a text')
  .regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/, 'must be a version like 1.0.0');
const choice = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `must be one of ${names.join(', ')}`);
const SUBSCRIPTION = z
  .string('must be a text')
  .regex(
    /^(\*|[a-z][a-z0-9_]*(\.[a-z0-9_]+)*(\.\*)?)$/,
    'must be a type of event like tool.call.failure, or a prefix like tool.*',
  );
const DEDUPE_KEY = z
  .string('must be a text')
  .regex(
    /^(id|type|source|severity|payload(\.\w{1,64}){1,4})(:(id|type|source|severity|payload(\.\w{1,64}){1,4})){0,9}$/,
    'must be fields joined by ":", like type:payload.tool_name',
  );

/** A template of a given set of roots. */
export const template = (roots: readonly string[]) =>
  z
    .string('must be a text')
    .min(1, 'must not be empty')
    .superRefine((value, context) => {
      const fault = templateFault(value, roots);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    });

/** A subscriber as in its file (docs/notifications.md). */
export const subscriberFile = z.strictObject(
  {
    subscriber: z.strictObject(
      {
        id: z
          .string('must be a text')
          .regex(
            /^[a-z][a-z0-9_]{0,63}$/,
            'must be of the form ^[a-z][a-z0-9_]*$, at most 64 characters',
          ),
        name: text(1, 100),
        description: text(1, 500),
        version: VERSION,
        /** If false, it is loaded but selects nothing. */
        enabled: z.boolean('must be true or false').default(true),
      },
      'is missing, or no table',
    ),
    events: z.strictObject(
      {
        types: z
          .array(SUBSCRIPTION, 'must be a list of types')
          .min(1, 'must name at least one type')
          .max(50, 'must name at most 50 types'),
        severity_filter: choice(SEVERITIES).default('info'),
        sources: z
          .array(text(1, 200), 'must be a list of texts')
          .max(50, 'must name at most 50 sources')
          .default([]),
      },
      'is missing, or no table',
    ),
    batching: z
      .strictObject(
        {
          window_ms: whole(0, 10_000).default(2_000),
          max_size: whole(1, 100).default(10),
          dedupe_key: DEDUPE_KEY.default('type:source'),
          dedupe_window_ms: whole(0, 60_000).default(5_000),
        },
        'must be a table',
      )
      .prefault({}),
    output: z.strictObject(
      {
        priority: choice(PRIORITIES).default('normal'),
        inject_at: choice(POINTS).default('turn_start'),
        template: template(ROOTS),
        core: z.boolean('must be true or false').default(false),
      },
      'is missing, or no table',
    ),
  },
  'must be a table',
);

/** Selects events and defines how the model is notified of them. */
export type Subscriber = z.infer<typeof subscriberFile>;
export { text, whole, choice, VERSION };
