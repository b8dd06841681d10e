import type { CallTiming } from '../../../domain/events/event.js';
import type { AgentSession } from '../../runtime/agent-session.js';

/** Times one model call by the log's clock. */
export interface CallClock {
  /** Called for each part of the answer; the first call counts. */
  markPart(): void;
  /** The known times of the call. */
  timing(): CallTiming;
}

type ClockedSession = Pick<AgentSession, 'now' | 'board' | 'take'>;

/** Starts the clock of a call that begins now. */
export function callClock({ now, board: { wantedAt, queuedMs } }: ClockedSession): CallClock {
  const begun = now();
  let first: number | undefined;
  return {
    markPart: () => void (first ??= now()),
    timing: () => ({
      duration_ms: now() - begun,
      waited_ms: Math.max(0, begun - (wantedAt ?? begun)),
      ...(first !== undefined && { first_token_ms: first - begun }),
      ...(queuedMs !== undefined && { queued_ms: queuedMs }),
    }),
  };
}

/**
 * The agent wants a call from now on: the time until it begins counts as waiting, also in another
 * process.
 */
export function want(session: ClockedSession): void {
  session.take({ state: { ...session.board, wantedAt: session.now() } });
}

/** The call was answered, and the next one is not wanted yet. */
export function settle(session: ClockedSession): void {
  const { wantedAt: _wantedAt, queuedMs: _queuedMs, ...board } = session.board;
  session.take({ state: board });
}
