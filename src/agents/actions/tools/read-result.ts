import { z } from 'zod';
import { bytesOf } from '../../../domain/context/density.js';
import { evidenceOf, READ_AGAIN } from '../../../domain/context/view.js';
import type { JsonObject } from '../../../lib/json.js';
import type { ToolResult } from '../../../domain/diagnosis/tool-result.js';
import type { AgentSession } from '../../runtime/agent-session.js';
import { checkArgs } from '../../runtime/check-args.js';
import type { OfferedTool } from '../../../domain/prompt/offered-tool.js';
import { windowOf } from '../../runtime/window.js';

/** Characters that are returned at once, and their maximum as a share of the model's window. */
const MOST = 12_000;
const LEAST = 500;
const SHARE = 0.1;

const args = z.object({
  id: z.string().min(1).max(200).describe('Its evidence id, as in `left_out` or in brackets'),
  from: z.int().min(0).default(0).describe('Character to go on from: `next` of the part before'),
});

/** The tool that is offered to an agent when something of its conversation was left out. */
export const READ_RESULT: OfferedTool = {
  name: READ_AGAIN,
  schema: z.toJSONSchema(args, { io: 'input' }),
};

/** A part of an earlier result of this agent, unchanged. The error is for the model. */
export function readResult(
  session: AgentSession,
  given: JsonObject,
): ToolResult | { error: string } {
  const checked = checkArgs(args, given);
  if ('fault' in checked) return { error: checked.fault };
  const { id, from } = checked.args;
  const found = session.messages.find((message) => message.role === 'result' && message.id === id);
  if (found?.role !== 'result') return { error: `You have no result "${id}".` };
  const text = typeof found.output === 'string' ? found.output : JSON.stringify(found.output);
  const share = bytesOf(session.board.density, windowOf(session.chain, session.board) * SHARE);
  const part = text.slice(from, from + Math.max(LEAST, Math.min(MOST, share)));
  const end = from + part.length;
  const next = end < text.length ? end : null;
  return {
    status: 'ok',
    summary: `characters ${from} to ${end} of ${text.length} of ${id}`,
    measurements: { result_of: evidenceOf(found), part, next },
    issues: [],
  };
}
