import type { OpenCall } from '../../domain/blackboard.js';
import { currentMeasurements } from '../../domain/diagnosis/current-measurements.js';
import type { Measurement } from '../../domain/diagnosis/measurement.js';
import { nodesLeftOut } from '../../domain/diagnosis/nodes-left-out.js';
import { uncheckedNodes } from '../../domain/diagnosis/unchecked.js';
import type { FirstLook } from '../../domain/prompt/brief.js';
import type { LogPort } from '../../event-log/log-port.js';
import type { ToolRegistry } from '../../tools/tool-registry.js';
import { firstLookAt } from '../roles/brief-nodes.js';
import type { AgentSession } from '../runtime/agent-session.js';
import type { Action } from './action.js';
import { evidenceOf } from './evidence-of.js';
import { runCalls } from './run-tools.js';
import { openForService } from './tools/first-looks.js';

/**
 * Before the run is concluded: looks at the nodes to which the models sent no worker. Only reads, within the limits of the run;
 * the built-in planner leaves out none. See docs/decisions/0010-measurements-decide.md.
 */
export const measureLeftOut: Action = {
  name: 'measure-left-out',
  run(context, { calls }) {
    const { session, ports } = context;
    if (session.chain[0]?.isFree === true || session.deadline.aborted)
      return { outcome: 'success' };
    // A process that continues here makes the calls that are on record.
    const open = calls.filter(isByService);
    if (open.length > 0) return runCalls(context, open);
    return looksLeftOut(session, ports).then((looks) =>
      looks.length === 0
        ? { outcome: 'success' }
        : session
            .step((draft) => openForService(draft, looks))
            .then(() => runCalls(context, session.board.calls.filter(isByService))),
    );
  },
};

const isByService = ({ by_service }: OpenCall): boolean => by_service === true;

async function looksLeftOut(
  session: AgentSession,
  { log, tools }: { log: LogPort; tools: ToolRegistry },
): Promise<FirstLook[]> {
  const { topology } = session.spec;
  const { measurements: all, report, below } = await evidenceOf(session, log);
  const current = currentMeasurements(all.filter(({ ranking }) => ranking === undefined));
  const unchecked = uncheckedNodes(topology, all, current, [report, ...below]);
  return nodesLeftOut(topology, { all, current, unchecked }).flatMap((id) =>
    firstLooksAt(session, tools, id).filter((look) => !isTried(all, look)),
  );
}

/** The first look that the workers of a node would have taken, each call once. */
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
