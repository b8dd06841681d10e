import { z } from 'zod';
import { CONDITIONS, deferralOf } from '../../domain/notifications/deferral.js';
import type { JsonObject } from '../../lib/json.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { checkArgs } from '../runtime/check-args.js';
import { functionTool } from '../runtime/conversation.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';

const args = z.object({
  message: z.string().min(1).max(500).describe('What you want to be told then'),
  when: z.enum(['next_turn', 'after_n_turns', 'after_tool', 'on_condition', 'next_session']),
  turns: z.int().min(1).max(100).optional().describe('For after_n_turns'),
  tool: z.string().min(1).max(100).optional().describe('For after_tool: its name'),
  condition: z.enum(CONDITIONS).optional().describe('For on_condition'),
  value: z
    .union([z.number(), z.string().max(100)])
    .optional()
    .describe('For on_condition: the threshold, or the name of the tool'),
});

const NAME = 'remind_self';
export const isRemindSelf = (tool: string): boolean => tool === NAME;

/** What every agent on a language model is offered. */
export const REMIND_SELF = functionTool(
  NAME,
  'Has you told something later: in a later turn, when a tool has come back, when a condition holds, or in the next session.',
  z.toJSONSchema(args, { io: 'input' }),
);

/** An agent wants to be told something later. The error is for the model. */
export function remindSelf(
  session: AgentSession,
  given: JsonObject,
): ToolResult | { error: string } {
  const checked = checkArgs(args, given);
  if ('fault' in checked) return { error: checked.fault };
  const { message, when, turns, tool, condition, value } = checked.args;
  const own = {
    next_turn: {},
    next_session: {},
    after_n_turns: { turns },
    after_tool: { tool },
    on_condition: { condition, value },
  }[when];
  const deliver = JSON.parse(JSON.stringify({ when, ...own })) as JsonObject;
  if (!deferralOf({ deliver }))
    return { error: `${when} needs ${Object.keys(own).join(' and ')}.` };
  emitAgentEvent(session, 'agent.self.remind', { message, category: 'reminder', deliver });
  return {
    status: 'ok',
    summary: `You will be reminded: ${when.replaceAll('_', ' ')}.`,
    measurements: {},
    issues: [],
  };
}
