import { z } from 'zod';
import { CONDITIONS, deferralOf, REMIND_TOOL } from '../../../domain/notifications/deferral.js';
import type { JsonObject } from '../../../lib/json.js';
import type { ToolResult } from '../../../domain/diagnosis/tool-result.js';
import type { AgentSession } from '../../runtime/agent-session.js';
import { checkArgs } from '../../runtime/check-args.js';
import type { OfferedTool } from '../../../domain/prompt/offered-tool.js';
import { answersIn } from '../../runtime/calls-of.js';

const args = z.object({
  message: z.string().min(1).max(500).describe('The text of the reminder'),
  when: z.enum(['next_turn', 'after_n_turns', 'after_tool', 'on_condition', 'next_session']),
  turns: z.int().min(1).max(100).optional().describe('For after_n_turns'),
  tool: z.string().min(1).max(100).optional().describe('For after_tool: its name'),
  condition: z.enum(CONDITIONS).optional().describe('For on_condition'),
  value: z
    .union([z.number(), z.string().max(100)])
    .optional()
    .describe('For on_condition: the threshold, or the name of the tool'),
});

export const isRemindSelf = (tool: string): boolean => tool === REMIND_TOOL;

/** Offered to an oracle on a language model. */
export const REMIND_SELF: OfferedTool = {
  name: REMIND_TOOL,
  schema: z.toJSONSchema(args, { io: 'input' }),
};

const READ_BEFORE =
  'Notes for later sessions come only from conversations in which nothing was looked up, and to which no front end has added text.';

/**
 * Reads a reminder that an agent requests: the result of the call, and the payload of the event
 * `agent.self.remind`.
 */
export function remindSelf(
  { spec, messages }: Pick<AgentSession, 'spec' | 'messages'>,
  given: JsonObject,
): { result: ToolResult | { error: string }; reminder?: JsonObject } {
  const checked = checkArgs(args, given);
  if ('fault' in checked) return { result: { error: checked.fault } };
  const { message, when, turns, tool, condition, value } = checked.args;
  // What was read, and what a front end has added, may be hostile, so none of it reaches the model
  // of another run.
  const hasRead =
    spec.chat?.hasRead === true ||
    spec.chat?.context !== undefined ||
    answersIn(messages).some(({ tool: used }) => !isRemindSelf(used));
  if (when === 'next_session' && (spec.kind === 'diagnosis' || hasRead))
    return { result: { error: READ_BEFORE } };
  const own = {
    next_turn: {},
    next_session: {},
    after_n_turns: { turns },
    after_tool: { tool },
    on_condition: { condition, value },
  }[when];
  const deliver = JSON.parse(JSON.stringify({ when, ...own })) as JsonObject;
  if (!deferralOf({ deliver }))
    return { result: { error: `${when} needs ${Object.keys(own).join(' and ')}.` } };
  return {
    reminder: { message, category: 'reminder', deliver },
    result: {
      status: 'ok',
      summary: `You will be reminded: ${when.replaceAll('_', ' ')}.`,
      measurements: {},
      issues: [],
    },
  };
}
