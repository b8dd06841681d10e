import { z } from 'zod';
import type { JsonObject } from '../../lib/json.js';

/** The tool with which the oracle defers a reminder. Its result contains no foreign text. */
export const REMIND_TOOL = 'remind_self';

/** Conditions that a deferred notification may wait for. */
export const CONDITIONS = [
  'context_above_threshold',
  'tool_completed',
  'message_count_above',
  'token_usage_above',
] as const;

/**
 * When a notification is delivered, if not at the next point: `deliver` in the payload of an event.
 */
const deferralSchema = z.discriminatedUnion('when', [
  z.strictObject({ when: z.literal('next_turn') }),
  z.strictObject({ when: z.literal('after_n_turns'), turns: z.int().min(1).max(100) }),
  z.strictObject({ when: z.literal('after_tool'), tool: z.string().min(1).max(100) }),
  z.strictObject({
    when: z.literal('on_condition'),
    condition: z.enum(CONDITIONS),
    /** The threshold, or the name of the tool. */
    value: z.union([z.number(), z.string().max(100)]),
  }),
  z.strictObject({ when: z.literal('next_session') }),
]);
export type Deferral = z.infer<typeof deferralSchema>;

/** The state of an agent that decides whether a notification is due. */
export interface DeliveryContext {
  /** ms since the epoch. */
  now: number;
  turn: number;
  /** Number of results of each tool in this dispatch. */
  toolsDone: Readonly<Record<string, number>>;
  /** Used share of the model's window and of the token budget, 0 to 1. */
  contextUsage: number;
  tokenUsage: number;
  messages: number;
}

/** The deferral in a payload; undefined if it is missing or invalid. */
export function deferralOf(payload: JsonObject): Deferral | undefined {
  if (payload['deliver'] === undefined) return undefined;
  const parsed = deferralSchema.safeParse(payload['deliver']);
  return parsed.success ? parsed.data : undefined;
}

/** The state of an agent when a notification was deferred. */
export interface Since {
  turn: number;
  /** Number of results of the tool at that time. */
  done: number;
}

export const sinceNow = (deferral: Deferral, { turn, toolsDone }: DeliveryContext): Since => ({
  turn,
  done: toolsDone[toolOf(deferral)] ?? 0,
});

function toolOf(deferral: Deferral): string {
  if (deferral.when === 'after_tool') return deferral.tool;
  return deferral.when === 'on_condition' ? String(deferral.value) : '';
}

export function isDue(deferral: Deferral, since: Since, at: DeliveryContext): boolean {
  switch (deferral.when) {
    case 'next_turn':
      return at.turn > since.turn;
    case 'after_n_turns':
      return at.turn >= since.turn + deferral.turns;
    case 'after_tool':
      return (at.toolsDone[deferral.tool] ?? 0) > since.done;
    case 'on_condition':
      return holds(deferral.condition, deferral.value, at);
    case 'next_session':
      return false;
  }
}

function holds(
  condition: (typeof CONDITIONS)[number],
  value: number | string,
  at: DeliveryContext,
): boolean {
  switch (condition) {
    case 'context_above_threshold':
      return at.contextUsage > Number(value);
    case 'tool_completed':
      return (at.toolsDone[String(value)] ?? 0) > 0;
    case 'message_count_above':
      return at.messages > Number(value);
    case 'token_usage_above':
      return at.tokenUsage > Number(value);
  }
}
