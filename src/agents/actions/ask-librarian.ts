import type { OpenLibrarian } from '../../domain/blackboard.js';
import type { ModelCalls } from '../../models/calls/model-calls.js';
import type { ModelEntry } from '../../models/models.js';
import { emitAgentEvent } from '../notices/emit-agent-event.js';
import type { AgentSession, SessionDraft } from '../runtime/agent-session.js';
import type { ParkRequest, StepResult } from '../runtime/session-step.js';
import type { Action, ActionResult } from './action.js';
import { callModel } from './model/call-model.js';
import { closeLibrarian } from './close-librarian.js';
import { librarianSource, partsToRead, prepareReading } from './librarian.js';
import { usageEvent } from './model/usage-event.js';

/** Maximum tokens of one answer. */
const SUMMARY_TOKENS = 800;

/**
 * Whether a model is paid by what it reads. The deterministic planner is not, and reads everything
 * itself.
 */
const paid = ({ chain }: AgentSession): ModelEntry[] =>
  chain.filter(({ isFree }) => isFree !== true);

/**
 * Summarises results of this turn that are too large. The librarian is a sub-agent with its own
 * dispatch, calls and report. Each summary is recorded as soon as it arrives, so that none is
 * requested twice. If the librarian cannot continue, the agent continues with the summaries that
 * exist.
 */
export const askLibrarian: Action = {
  name: 'ask-librarian',
  run({ session, abort, ports: { calls } }, state) {
    const chain = paid(session);
    const isNeeded = chain.length > 0 && !state.stop && partsToRead(session).length > 0;
    if (state.librarian === null && !isNeeded) return { outcome: 'success' };
    return summarise(session, chain, calls, abort.signal);
  },
};

async function summarise(
  session: AgentSession,
  chain: readonly ModelEntry[],
  calls: ModelCalls,
  signal: AbortSignal,
): Promise<ActionResult> {
  if (session.board.librarian === null) await session.step(dispatchLibrarian);
  for (let open = session.board.librarian; open; open = session.board.librarian) {
    const part = open.parts[open.said.length];
    const ended = part
      ? await readPart(session, { chain, calls, signal, open, part })
      : { reasons: [] };
    if ('parked' in ended) return { outcome: 'wait', parked: ended.parked };
    if ('stopped' in ended) return ended.stopped;
    if ('reasons' in ended) {
      const draft = session.draft();
      const event = closeLibrarian(draft, ended.reasons);
      return { outcome: 'success', state: draft.board, events: [event] };
    }
  }
  return { outcome: 'success' };
}

/** The step that records that a librarian has started. Changes the draft. */
function dispatchLibrarian(draft: SessionDraft): StepResult {
  const { board, source, dispatchId } = draft;
  const parts = partsToRead(draft);
  const ids = [...new Set(parts.map(({ id }) => id))];
  const dispatch_id = `${dispatchId ?? 'top'}_l${++board.librarians}`;
  const task = `Summarise the results that are too large: ${ids.join(', ')}.`;
  const { agent_id } = librarianSource(source);
  board.librarian = { dispatch_id, parts, said: [] };
  emitAgentEvent(draft, 'subagent.start', { dispatch_id, agent_id });
  const data = { worker_name: 'librarian', task, dispatch_id, agent_id };
  return { state: board, events: [{ name: 'dispatch.worker', source, data }] };
}

interface LibrarianRequest {
  chain: readonly ModelEntry[];
  calls: ModelCalls;
  signal: AbortSignal;
  open: OpenLibrarian;
  part: OpenLibrarian['parts'][number];
}

/**
 * Lets a model summarise one part.
 * @returns `read` if it did; `reasons` why the librarian cannot continue
 */
async function readPart(
  session: AgentSession,
  { chain, calls, signal, open, part }: LibrarianRequest,
): Promise<
  { read: true } | { parked: ParkRequest } | { stopped: ActionResult } | { reasons: string[] }
> {
  const speaker = {
    source: librarianSource(session.source),
    place: { dispatch_id: open.dispatch_id, turn: open.said.length + 1 },
  };
  const options = { messages: [], streamTo: [], budget: SUMMARY_TOKENS };
  const result = await callModel(session, calls, {
    chain,
    cut: { signal, speaker, options },
    prepared: prepareReading(session, chain, part),
  });
  if (result.kind === 'parked') return { parked: result.parked };
  if (result.kind === 'stopped') return { stopped: { outcome: 'stopped', events: result.events } };
  if (result.kind === 'cut') return { stopped: { outcome: 'failure' } };
  const { nextAttempt: _, tries: __, notBefore: ___, ...board } = session.board;
  const state = { ...board, nextAttempt: 1 };
  if (result.kind !== 'answered') {
    session.take({ state });
    return { reasons: [result.kind === 'failed' ? result.error.code : 'LIMIT_REACHED'] };
  }
  await session.record({
    state: { ...state, librarian: { ...open, said: [...open.said, result.turn.text] } },
    events: [usageEvent(speaker.source, { ...speaker.place, attempt: board.attempt }, result.turn)],
  });
  return { read: true };
}
