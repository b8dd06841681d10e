import { estimateTokens } from '../domain/estimate-tokens.js';
import { softLimit } from '../domain/soft-limit.js';
import type { AgentSession } from './agent-session.js';
import { toPrompt, type Prepared } from './conversation.js';
import { contextWarning } from './limit-notices.js';

/** Where a model is told that its window fills up. Contract section 4. */
const CONTEXT_PERCENT = 70;

/** Puts together what the model is sent, and warns where that is much of its window. */
export async function buildMessages(session: AgentSession): Promise<Prepared> {
  let prepared = assemble(session);
  const window = session.chain[0]?.contextWindow ?? Infinity;
  if (prepared.tokens >= softLimit(window, CONTEXT_PERCENT) && session.once('context')) {
    const { message, event } = contextWarning(session, prepared.tokens, window);
    await session.record([event], [{ role: 'note', text: message }]);
    prepared = assemble(session);
  }
  return (session.prepared = prepared);
}

function assemble(session: AgentSession): Prepared {
  const { role, spec, place, task, messages, board } = session;
  const prompt = toPrompt(role.system(spec, place), task, messages);
  const tools = role.tools(spec, place);
  const known = board.context;
  const tokens =
    known === null
      ? estimateTokens(JSON.stringify([prompt, tools]).length)
      : known.tokens + estimateTokens(JSON.stringify(messages.slice(known.messages)).length);
  return { prompt, tools, tokens };
}
