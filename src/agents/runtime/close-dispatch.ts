import { readBlackboard, type OpenDispatch } from '../../domain/blackboard.js';
import type { DraftEvent } from '../../domain/events/event.js';
import type { Topology } from '../../domain/topology/topology.js';
import type { LogPort } from '../../event-log/log-port.js';
import { placeOf } from './agent-place.js';
import { unanswered } from './unanswered.js';
import { LostError } from './run-writer.js';
import { librarianReport } from '../actions/librarian.js';

/**
 * Reports `failed` on behalf of an agent that ended without a report, after fencing it off, and
 * answers its open calls: tool calls as `interrupted`, dispatched agents in the same way. Does
 * nothing if it has reported. docs/decisions/0002-every-session-starts-with-a-claim.md
 * @throws LostError if the log of the run is full
 */
export async function closeDispatch(
  log: LogPort,
  run: { runId: string; topology: Topology },
  { dispatch_id: dispatchId, agent_id: agentId }: Pick<OpenDispatch, 'dispatch_id' | 'agent_id'>,
  reason: 'AGENT_FAILED' | 'AGENT_CRASHED' = 'AGENT_FAILED',
): Promise<void> {
  const { runId, topology } = run;
  const claim = await log.claim(runId, dispatchId);
  const place = placeOf(topology, agentId);
  if (claim.kind !== 'claimed' || !place) return;
  const board = claim.checkpoint === null ? null : readBlackboard(claim.checkpoint);
  for (const open of board?.waiting ?? []) await closeDispatch(log, run, open);

  const results = board === null ? [] : unanswered(board, place.source, dispatchId);
  const report: DraftEvent = {
    name: 'dispatch.report',
    source: place.source,
    data: {
      dispatch_id: dispatchId,
      status: 'failed',
      reasons: [reason],
      summary: `${place.binding.name} ${reason === 'AGENT_CRASHED' ? 'lost its process repeatedly' : 'ended without a report'}.`,
      findings: [],
    },
  };
  const librarian = board?.librarian
    ? [librarianReport(place.source, board.librarian, {}, [reason])]
    : [];
  const events = [...results, ...librarian, report];
  const { kind } = await log.append(runId, {
    writer: dispatchId,
    epoch: claim.epoch,
    step: claim.step + 1,
    events,
    done: true,
  });
  if (kind === 'full') throw new LostError('full');
}
