import type { OpenCall } from '../../../domain/blackboard.js';
import { textOf } from '../../../lib/json.js';
import type { CallProgress, ReportProgress } from '../../roles/role-behaviour.js';
import type { AgentSession } from '../../runtime/agent-session.js';

/**
 * When progress of a call is reported; ms after its start. From then on it is reported every
 * `EVERY`.
 */
const FIRST = 1_000;
const EVERY = 5_000;

/**
 * Reports that a call is still running, until it has ended. The warning `TOOL_RUNNING` exists in
 * every stream format, so that clients see progress. The first progress report of the call is sent
 * at once; later ones are sent with the next warning.
 */
export async function withProgress<Result>(
  session: AgentSession,
  call: OpenCall,
  run: (report: ReportProgress) => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  let latest: CallProgress | undefined;
  let timer = setTimeout(send, FIRST);
  function send(): void {
    clearTimeout(timer);
    timer = setTimeout(send, EVERY);
    const ms = Math.round(performance.now() - started);
    // A refused step ends the call through the signal of the session.
    session
      .step(({ board }) => ({ state: board, events: [progressOf(session, call, ms, latest)] }))
      .catch(() => undefined);
  }
  try {
    return await run((progress) => {
      const isFirst = latest === undefined;
      latest = progress;
      if (isFirst) send();
    });
  } finally {
    clearTimeout(timer);
  }
}

function progressOf(
  session: AgentSession,
  { tool, tool_call_id, args }: OpenCall,
  ms: number,
  latest: CallProgress | undefined,
) {
  const node = session.node(textOf(args, 'node'));
  const { toolTimeoutSeconds } = session.spec.limits;
  const running = `${tool}${node ? ` of ${node.name}` : ''} is still running after ${Math.round(ms / 1_000)} s (limit ${toolTimeoutSeconds} s).`;
  return session.warning('TOOL_RUNNING', latest?.message ?? running, {
    ...latest?.details,
    tool,
    tool_call_id,
    elapsed_ms: ms,
  });
}
