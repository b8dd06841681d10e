import type { AgentSession } from '../../runtime/agent-session.js';
import { callClock, settle } from './call-clock.js';
import type { ModelTurn } from './call-result.js';
import { newTurn, takePart } from './stream-answer.js';
import type { LeafOptions } from './leaf-options.js';

/**
 * The turn of a model that answers immediately: without a limiter, signals, streams and retries,
 * which take several times the processor time of the answer itself.
 * @returns undefined if the call is of another kind, or failed: `callModel` then makes it, and
 *   reports why it fails
 */
export function answerAtOnce(session: AgentSession, options: LeafOptions): ModelTurn | undefined {
  const { board, chain, scratch, deadline } = session;
  const [entry, ...others] = chain;
  const { prepared } = scratch;
  const isPlain = options.model === undefined && options.messages.length === 0;
  const isFirst = board.tries === undefined && board.notBefore === undefined;
  if (!entry?.answer || others.length > 0 || !isPlain || !isFirst || deadline.aborted)
    return undefined;
  if (prepared?.chain[0] !== entry) return undefined;
  const { prompt, bytes } = prepared;
  const { tools: named } = options;
  const tools = named ? prepared.tools.filter(({ name }) => named.includes(name)) : prepared.tools;
  const clock = callClock(session);
  let parts;
  try {
    parts = entry.answer({ prompt, tools });
  } catch {
    return undefined;
  }
  clock.markPart();
  session.take({ state: { ...board, attempt: board.nextAttempt } });
  const turn = newTurn(entry, bytes);
  for (const part of parts) takePart(session, turn, part);
  const timed = { ...turn, timing: clock.timing() };
  settle(session);
  return timed;
}
