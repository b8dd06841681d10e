import type { Tree } from '../../../src/domain/behaviour-tree/tree.js';
import { freshBlackboard, type Blackboard } from '../../../src/domain/blackboard.js';
import { resolveLimits } from '../../../src/domain/limits/limits.js';
import type { LimitOverrides } from '../../../src/domain/limits/limit-bounds.js';
import type { RunSpec } from '../../../src/domain/run.js';
import type { Topology } from '../../../src/domain/topology/topology.js';
import type { Action, ActionResult, Ports } from '../../../src/agents/actions/action.js';
import { placeIn } from '../../../src/agents/runtime/agent-place.js';
import { AgentSession } from '../../../src/agents/runtime/agent-session.js';
import { Deadline } from '../../../src/agents/runtime/deadline.js';
import type { Message } from '../../../src/agents/runtime/conversation.js';
import {
  dispatchTeam,
  dispatchWorker,
  reportTool,
} from '../../../src/agents/runtime/control-tools.js';
import { RunWriter } from '../../../src/agents/runtime/run-writer.js';
import type { LogPort, Step } from '../../../src/event-log/log-port.js';
import { PromptFiles } from '../../../src/prompts/prompt-files.js';
import type { ModelEntry } from '../../../src/models/models.js';

/** The texts that are shipped with the service. */
const { prompts: SHIPPED_PROMPTS } = new PromptFiles();

const bound = { tools: ['look'], reach: 'dependencies' as const };

/** Two nodes, one of which depends on the other, and one beside them; a team of a worker each. */
export const SMALL_TOPOLOGY: Topology = {
  id: 7,
  name: 'Small',
  nodes: [
    { id: 'web', name: 'The web', kind: 'service', dependsOn: ['db'], attributes: {} },
    { id: 'db', name: 'The db', kind: 'tcp', dependsOn: [], attributes: {} },
    { id: 'far', name: 'The far', kind: 'tcp', dependsOn: [], attributes: {} },
  ],
  globalSupervisor: { agentId: '1', name: 'Head' },
  teams: [
    {
      name: 'Team',
      nodes: ['web', 'db', 'far'],
      supervisor: { agentId: '2', name: 'Lead' },
      workers: [
        { agentId: '3', name: 'Web worker', node: 'web', ...bound },
        { agentId: '4', name: 'Db worker', node: 'db', ...bound },
      ],
    },
  ],
};

/** A model that is paid, and is never called here. */
export const PAID_MODEL = {
  name: 'paid',
  contextWindow: 100_000,
  model: {},
} as unknown as ModelEntry;

export interface SessionSketch {
  agentId?: string;
  limits?: LimitOverrides;
  board?: Partial<Blackboard>;
  messages?: Message[];
  chain?: readonly ModelEntry[];
  spec?: Partial<RunSpec>;
  /** ms since 1970. */
  deadlineAt?: number;
  /** ms since 1970. The run was created 10 s before. */
  now?: number;
  /** What the run has used. */
  tokens?: number;
}

/** A session of one agent on a log that takes every step, and remembers it. */
export function sessionOf({
  agentId = '3',
  limits = {},
  board = {},
  messages = [],
  chain = [PAID_MODEL],
  spec: more = {},
  now = Date.now(),
  deadlineAt = now + 60_000,
  tokens = 0,
}: SessionSketch = {}) {
  const steps: Step[] = [];
  let last = 0;
  const log = {
    append: async (_: string, step: Step) => {
      steps.push(step);
      const first = last + 1;
      last += step.events.length;
      return { kind: 'ok' as const, first, last, ms: 0, tokens: 0, room: 1_000 };
    },
  } as unknown as LogPort;
  const spec: RunSpec = {
    kind: 'diagnosis',
    owner: 'me',
    topology: SMALL_TOPOLOGY,
    topologyVersion: 1,
    behaviours: {},
    userMessage: 'What is wrong?',
    limits: resolveLimits('diagnosis', limits),
    onDisconnect: 'continue',
    ...more,
  };
  const place = placeIn(spec, agentId);
  if (!place) throw new Error(`no agent ${agentId}`);
  const lost = new AbortController();
  const dispatchId = {
    global_supervisor: null,
    team_supervisor: 'd1',
    worker: 'd1_1',
    oracle: null,
  }[place.type];
  const writer = new RunWriter(log, {
    runId: 'run',
    writer: dispatchId ?? 'top',
    epoch: 1,
    step: 0,
    checkpoint: null,
    tokens,
    source: place.source,
    redact: (text) => text,
    lost,
  });
  const team = place.team?.workers ?? [];
  const tools = {
    global_supervisor: [dispatchTeam(spec.topology), reportTool('top')],
    team_supervisor: [dispatchWorker(team), reportTool('below')],
    worker: [reportTool('below')],
    oracle: [],
  }[place.type];
  const session = new AgentSession(
    {
      runId: 'run',
      spec,
      createdAt: now - 10_000,
      dispatchId,
      task: 'Look.',
      place,
      role: {
        brief: () => ({ role: 'oracle', topology: null, thinking: false }),
        tools: () => tools,
      },
      prompts: SHIPPED_PROMPTS,
      tree: {} as Tree,
      chain,
      writer,
      messages,
      signal: lost.signal,
      deadline: new Deadline(deadlineAt - now, lost.signal),
      deadlineAt,
      now: () => now,
      notifier: {
        isSubscribed: () => true,
        notify: () => ({ messages: [], events: [] }),
        handOver: () => Promise.resolve(),
        finished: () => Promise.resolve(),
      },
    },
    { ...freshBlackboard(), turn: 1, ...board },
  );
  return { session, steps, lost };
}

/** Runs an action on the state of a session, which it may not change. */
export async function act(
  action: Action,
  session: AgentSession,
  ports: Partial<Ports> = {},
): Promise<ActionResult> {
  const state = deepFreeze(session.board);
  const leaf = { path: '0', type: 'action' as const, name: action.name };
  const abort = { signal: new AbortController().signal };
  return action.run({ session, leaf, abort, ports: ports as Ports }, state);
}

/** A turn of a model, with the results of its calls. */
export function turnOf(
  ...calls: {
    tool: string;
    args?: object;
    output?: unknown;
    failed?: boolean;
    refused?: true;
  }[]
): Message[] {
  const ids = calls.map(() => `t${++lastCall}`);
  return [
    {
      role: 'assistant',
      text: '',
      calls: calls.map(({ tool, args = {} }, i) => ({
        id: ids[i] ?? '',
        tool,
        args: args as never,
      })),
    },
    ...calls.map(({ output = {}, failed = false, refused }, i) => ({
      role: 'result' as const,
      ...(refused && { refused }),
      id: ids[i] ?? '',
      output: output as never,
      failed,
    })),
  ];
}
let lastCall = 0;

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
