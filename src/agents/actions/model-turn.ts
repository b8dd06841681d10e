import { updateDensity } from '../../domain/context/density.js';
import { answerAtOnce } from './model/answer-at-once.js';
import { callModel } from './model/call-model.js';
import type { CallResult } from './model/call-result.js';
import type { Action, ActionResult } from './action.js';
import { dispatchesInRun } from './model/dispatch-limits.js';
import { cutOf } from './model/leaf-options.js';
import { endAtLimit } from './limits-reached.js';
import { recordTurn, type TurnSurroundings } from './model/record-turn.js';
import type { AgentSession, SessionDraft } from '../runtime/agent-session.js';

/**
 * One turn of the model. Streams its text into the log, then records its usage and its tool calls
 * as one step, before any of the calls is made. If the built-in planner requests repeatable calls
 * and the first result arrives at once, the same step has it. Success: the turn is recorded, also
 * if the model failed or a limit was reached (then the agent stops).
 */
export const modelTurn: Action = {
  name: 'llm-call',
  run({ session, leaf, abort, ports }, state) {
    if (state.reached !== null) return endAtLimit(session.draft(state), state.reached);
    const cut = cutOf(leaf, abort);
    const { model, streamTo } = cut.options;
    const mayRepeat = (tool: string) => ports.tools.get(tool)?.repeatable === true;
    const take = (result: CallResult): ActionResult | Promise<ActionResult> =>
      mayDispatch(session, result)
        ? dispatchesInRun(session, ports.log).then((dispatched) =>
            afterCall(session.draft(), result, { streamTo, dispatched, mayRepeat }),
          )
        : afterCall(session.draft(), result, { streamTo, dispatched: [], mayRepeat });
    const turn = answerAtOnce(session, cut.options);
    if (turn) return take({ kind: 'answered', turn });
    const chain =
      model === undefined
        ? session.chain
        : ports.models.get(model)
          ? ports.models.chain(model)
          : [];
    return callModel(session, ports.calls, { chain, cut }).then(take);
  },
};

/** Whether a turn dispatches agents, so that earlier dispatches are counted. */
const mayDispatch = ({ place }: AgentSession, result: CallResult): boolean =>
  place.type !== 'worker' &&
  result.kind === 'answered' &&
  result.turn.calls.some(({ tool }) => tool.startsWith('dispatch_'));

/** The step that takes the result of a call. Changes the draft. */
function afterCall(
  draft: SessionDraft,
  result: CallResult,
  surroundings: TurnSurroundings,
): ActionResult {
  const { board, scratch } = draft;
  switch (result.kind) {
    case 'stopped':
      return { outcome: 'stopped', events: result.events };
    case 'parked':
      return { outcome: 'wait', parked: result.parked };
    case 'spent':
      return endAtLimit(draft, 'token');
    case 'late':
      return { ...endAtLimit(draft, 'timeout'), scratch: { unfinished: result.text } };
    case 'cut':
      // Text that the model wrote before the attempt was interrupted does not belong to the next
      // attempt.
      board.nextAttempt = board.attempt + 1;
      return { outcome: 'failure', state: board };
    case 'answered':
    case 'failed':
      break;
  }
  board.nextAttempt = 1;
  delete board.tries;
  delete board.notBefore;
  scratch.prepared = undefined;
  if (result.kind === 'answered') {
    const { usage, bytes } = result.turn;
    if (!usage.estimated)
      board.density = updateDensity(board.density, { tokens: usage.input, bytes });
    return recordTurn(draft, result.turn, surroundings);
  }
  const { code, message, retryable, retryAt } = result.error;
  board.stop = true;
  board.failed = true;
  board.failure = { code, message, retryable, ...(retryAt !== undefined && { retryAt }) };
  board.reasons.push(code);
  return {
    outcome: 'success',
    state: board,
    events: [draft.error(code, message, { retryable, attempt: board.attempt })],
    scratch,
  };
}
