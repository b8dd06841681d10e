import type { DraftEvent } from '../../domain/events/event.js';
import type { ModelCalls } from '../../models/calls/model-calls.js';
import type { AgentSession } from '../runtime/agent-session.js';
import { callModel, type CallResult } from './call-model.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import {
  librarianReport,
  librarianSource,
  partsToRead,
  prepareReading,
  summariesOf,
} from './librarian.js';
import { usageEvent } from './usage-event.js';

/** Tokens of one answer. */
const SUMMARY_TOKENS = 800;

/** Whether there may be something to sum up, for a model that is paid by what it reads. */
export const needsLibrarian = ({ board, chain }: AgentSession): boolean =>
  board.librarian !== null || (!board.stop && chain.some(({ isFree }) => isFree !== true));

/**
 * Has a librarian sum up what the tools of this turn returned, where that is too much: a sub-agent with a dispatch, calls and a
 * report of its own, in this agent's place. Each answer is recorded as it comes, so that none is asked for twice. Where it
 * cannot go on, the agent goes on with what there is. The runbook reads everything itself.
 */
export async function askLibrarian(
  session: AgentSession,
  path: string,
  calls: ModelCalls,
  signal: AbortSignal,
): Promise<'success' | 'wait'> {
  const { board } = session;
  const chain = session.chain.filter(({ isFree }) => isFree !== true);
  if (board.librarian === null && !(await send(session))) return 'success';
  const open = board.librarian;
  if (open === null) return 'success';

  const reasons: string[] = [];
  while (open.said.length < open.parts.length && reasons.length === 0) {
    const part = open.parts[open.said.length] as (typeof open.parts)[number];
    const speaker = {
      source: librarianSource(session.source),
      place: { dispatch_id: open.dispatch_id, turn: open.said.length + 1 },
    };
    let result: CallResult;
    session.prepared = prepareReading(session, chain, part);
    try {
      result = await callModel(session, calls, chain, {
        signal,
        speaker,
        options: { messages: [], streamTo: [], budget: SUMMARY_TOKENS },
      });
    } catch (error) {
      session.signal.throwIfAborted();
      if (!session.deadline.aborted) throw error;
      result = { kind: 'spent' };
    } finally {
      session.prepared = undefined;
    }
    if (result.kind === 'parked') {
      session.parked = result.parked;
      return 'wait';
    }
    board.nextAttempt = 1;
    delete board.tries;
    delete board.notBefore;
    if (result.kind === 'answered') {
      open.said.push(result.turn.text);
      await session.record([
        usageEvent(speaker.source, { ...speaker.place, attempt: board.attempt }, result.turn),
      ]);
    } else reasons.push(result.kind === 'spent' ? 'LIMIT_REACHED' : result.error.code);
  }
  await session.record([closeLibrarian(session, reasons)], [], path);
  return 'success';
}

/** Records that a librarian was sent. @returns false where there is nothing for it to read */
async function send(session: AgentSession): Promise<boolean> {
  const { board, source, dispatchId } = session;
  const parts = partsToRead(session);
  if (parts.length === 0) return false;
  const ids = [...new Set(parts.map(({ id }) => id))];
  const dispatch_id = `${dispatchId ?? 'top'}_l${++board.librarians}`;
  const task = `Sum up what is too large: ${ids.join(', ')}.`;
  const { agent_id } = librarianSource(source);
  board.librarian = { dispatch_id, parts, said: [] };
  emitAgentEvent(session, 'subagent.start', { dispatch_id, agent_id });
  await session.record([
    {
      name: 'dispatch.worker',
      source,
      data: { worker_name: 'librarian', task, dispatch_id, agent_id },
    },
  ]);
  return true;
}

/** Ends the librarian's work with what it has said; its report is to be recorded with the next step. */
export function closeLibrarian(session: AgentSession, reasons: string[]): DraftEvent {
  const { board, source } = session;
  const open = board.librarian ?? { dispatch_id: '', parts: [], said: [] };
  const summaries = summariesOf(session, open);
  board.view = { ...board.view, summaries: { ...board.view.summaries, ...summaries } };
  board.librarian = null;
  // What the provider has counted is not what is sent now.
  board.context = null;
  emitAgentEvent(session, 'subagent.end', {
    dispatch_id: open.dispatch_id,
    status: reasons.length === 0 ? 'ok' : 'partial',
  });
  return librarianReport(source, open, summaries, reasons);
}
