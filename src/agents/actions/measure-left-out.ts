import type { OpenCall } from '../../domain/blackboard.js';
import { hasFinished } from '../../domain/diagnosis/agent-report.js';
import { currentMeasurements } from '../../domain/diagnosis/current-measurements.js';
import type { Measurement } from '../../domain/diagnosis/measurement.js';
import { nodesLeftOut } from '../../domain/diagnosis/unchecked/nodes-left-out.js';
import { uncheckedNodes } from '../../domain/diagnosis/unchecked/unchecked.js';
import type { FirstLook } from '../../domain/prompt/brief.js';
import type { LogPort } from '../../event-log/log-port.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import { firstLookAt } from '../roles/brief-nodes.js';
import type { AgentSession, SessionDraft } from '../runtime/agent-session.js';
import type { StepResult } from '../runtime/session-step.js';
import type { Action } from './action.js';
import { evidenceOf } from './evidence-of.js';
import { timeReached } from './limit-notices.js';
import { runCalls } from './run-tools.js';
import { openForService } from './tools/first-looks.js';

/**
 * Before the run is concluded, measures the nodes to which the models dispatched no worker, and
 * those whose worker ended before it had measured them. Only reads, within the limits of the run.
 * See docs/decisions/0010-measurements-decide.md.
 */
export const measureLeftOut: Action = {
  name: 'measure-left-out',
  async run(context, { calls }) {
    const { session, ports } = context;
    // A process that continues here makes the recorded calls.
    const isOpen = calls.some(isByService);
    const looks = isOpen ? [] : await looksLeftOut(session, ports);
    const isLate = looks.length > 0 && session.deadline.aborted;
    if (looks.length > 0 && !isLate) await session.step((draft) => openForService(draft, looks));
    const open = session.board.calls.filter(isByService);
    if (open.length > 0) await runCalls(context, open);
    const reason = isLate || hasLost(session) ? whyLost(session) : undefined;
    if (reason !== undefined && !session.board.reasons.includes(reason))
      await session.step((draft) => withReason(draft, reason));
    return { outcome: 'success' };
  },
};

/** Whether a call that the service made for the agent gave no result. */
function hasLost(session: AgentSession): boolean {
  const made = new Set(
    session.messages.flatMap((message) =>
      message.role === 'assistant' && message.byService ? message.calls.map(({ id }) => id) : [],
    ),
  );
  return session.answers().some(({ id, failed, refused }) => made.has(id) && failed && !refused);
}

const whyLost = ({ deadline }: AgentSession): 'LIMIT_REACHED' | 'TOOL_FAILED' =>
  deadline.aborted ? 'LIMIT_REACHED' : 'TOOL_FAILED';

/** The report is partial: see the contract, section 4. Changes the draft. */
function withReason(draft: SessionDraft, reason: ReturnType<typeof whyLost>): StepResult {
  const { board } = draft;
  board.reasons.push(reason);
  if (reason === 'TOOL_FAILED') return { state: board, events: [] };
  board.reached ??= 'timeout';
  return { state: board, events: [timeReached(draft)] };
}

const isByService = ({ by_service }: OpenCall): boolean => by_service === true;

async function looksLeftOut(
  session: AgentSession,
  { log, tools }: { log: LogPort; tools: ToolRegistry },
): Promise<FirstLook[]> {
  const { topology } = session.spec;
  const { measurements: all, report, below } = await evidenceOf(session, log);
  // The built-in planner dispatches its workers to all nodes.
  if (session.chain[0]?.isFree === true && below.every(hasFinished)) return [];
  const current = currentMeasurements(all.filter(({ ranking }) => ranking === undefined));
  const unchecked = uncheckedNodes(topology, all, current, [report, ...below]);
  return nodesLeftOut(topology, { all, current, unchecked }).flatMap((id) =>
    firstLooksAt(session, tools, id).filter((look) => !isTried(all, look)),
  );
}

/** The calls that the workers of other nodes would have made first, each call once. */
function firstLooksAt({ spec }: AgentSession, tools: ToolRegistry, id: string): FirstLook[] {
  const { nodes, teams, sources } = spec.topology;
  const node = nodes.find((each) => each.id === id);
  const names = new Set(
    teams
      .flatMap(({ workers }) => workers)
      .flatMap((worker) => (worker.node === id ? worker.tools : [])),
  );
  const reading = [...names]
    .flatMap((name) => tools.get(name) ?? [])
    .filter(({ access }) => access === 'read');
  return node ? firstLookAt(node, reading, sources) : [];
}

const isTried = (all: readonly Measurement[], { tool, args }: FirstLook): boolean =>
  all.some((each) => each.tool === tool && each.node === args['node']);
