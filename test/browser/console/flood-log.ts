/** An event of a run without what the log adds. */
export interface Flooded {
  name: string;
  source: object | null;
  data: object;
}

const TEAMS = 10;
const PER_TEAM = 6;
const WORKERS = TEAMS * PER_TEAM;
/** Events of one turn of a worker: text, usage, a call and its result. */
const TURN = 16;
/** One worker in so many finds something wrong. */
const UNHEALTHY = 10;

const node = (worker: number): string => `n${Math.floor(worker / PER_TEAM)}-${worker % PER_TEAM}`;
const lead = (team: number) => ({
  agent_id: `s${team}`,
  agent_type: 'team_supervisor',
  agent_name: `Lead ${team}`,
  team_name: `Team ${team}`,
});
const prober = (worker: number) => ({
  agent_id: `w${worker}`,
  agent_type: 'worker',
  agent_name: `Worker ${node(worker)}`,
  team_name: `Team ${Math.floor(worker / PER_TEAM)}`,
});
const HEAD = {
  agent_id: 'g',
  agent_type: 'global_supervisor',
  agent_name: 'Incident lead',
  team_name: null,
};
const range = (length: number): number[] => Array.from({ length }, (_, i) => i);

const hierarchy = {
  topology_id: 1,
  version: 1,
  global_supervisor: { agent_id: HEAD.agent_id, agent_name: HEAD.agent_name },
  teams: range(TEAMS).map((team) => ({
    team_name: `Team ${team}`,
    supervisor: { agent_id: `s${team}`, agent_name: `Lead ${team}` },
    nodes: range(PER_TEAM).map((at) => node(team * PER_TEAM + at)),
    workers: range(PER_TEAM).map((at) => {
      const worker = team * PER_TEAM + at;
      const { agent_id, agent_name } = prober(worker);
      return { agent_id, agent_name, node: node(worker), model: 'flood' };
    }),
  })),
  nodes: range(WORKERS).map((worker) => ({
    id: node(worker),
    name: `Node ${node(worker)}`,
    kind: 'service',
    depends_on: worker + PER_TEAM < WORKERS ? [node(worker + PER_TEAM)] : [],
  })),
};

const dispatchOf = (worker: number): string =>
  `d${1 + Math.floor(worker / PER_TEAM)}_${1 + (worker % PER_TEAM)}`;

/** The beginning: ten teams of six workers each are sent. */
const BEGUN: Flooded[] = [
  {
    name: 'lifecycle.started',
    source: null,
    data: {
      kind: 'diagnosis',
      topology_id: 1,
      topology_name: 'Large',
      user_message: 'All is slow.',
    },
  },
  { name: 'system.topology', source: null, data: { hierarchy } },
  ...range(TEAMS).map((team) => ({
    name: 'dispatch.team',
    source: HEAD,
    data: {
      team_name: `Team ${team}`,
      task: 'Look.',
      dispatch_id: `d${1 + team}`,
      agent_id: `s${team}`,
    },
  })),
  ...range(WORKERS).map((worker) => ({
    name: 'dispatch.worker',
    source: lead(Math.floor(worker / PER_TEAM)),
    data: {
      worker_name: prober(worker).agent_name,
      task: 'Look.',
      dispatch_id: dispatchOf(worker),
      agent_id: `w${worker}`,
    },
  })),
];

/**
 * The event with this number of a run without an end: sixty workers think, speak, call tools and
 * get results in turn.
 */
export function floodedEvent(sequence: number): Flooded {
  const begun = BEGUN[sequence - 1];
  if (begun) return begun;
  const nth = sequence - 1 - BEGUN.length;
  const worker = nth % WORKERS;
  const step = Math.floor(nth / WORKERS);
  return {
    source: prober(worker),
    ...stepOf(worker, { turn: 1 + Math.floor(step / TURN), at: step % TURN, sequence }),
  };
}

interface Step {
  turn: number;
  at: number;
  sequence: number;
}

function stepOf(worker: number, { turn, at, sequence }: Step): Omit<Flooded, 'source'> {
  const place = { dispatch_id: dispatchOf(worker), turn, attempt: 1 };
  const call = { ...place, tool: 'http_probe', tool_call_id: `t${worker}-${turn}` };
  switch (at) {
    case 0:
      return { name: 'llm.reasoning', data: { ...place, thought: `Turn ${turn}: look again. ` } };
    case TURN - 3:
      return {
        name: 'llm.usage',
        data: {
          ...place,
          model: 'flood',
          finish_reason: 'tool-calls',
          cost: 0.0004,
          input_tokens: 90,
          output_tokens: 12,
          total_tokens: 102 * Math.ceil(sequence / TURN),
          context_tokens: 90,
          max_context_tokens: 64_000,
        },
      };
    case TURN - 2:
      return { name: 'llm.tool_call', data: { ...call, args: { node: node(worker) } } };
    case TURN - 1:
      return {
        name: 'llm.tool_result',
        data: { ...call, status: 'ok', duration_ms: 12, truncated: false, result: probe(worker) },
      };
    default:
      return { name: 'llm.stream', data: { ...place, content: `piece ${sequence} ` } };
  }
}

const probe = (worker: number) => {
  const measurements = { status: 200, latency_ms: { least: 11, median: 12, most: 14 } };
  if (worker % UNHEALTHY > 0)
    return { status: 'ok', summary: 'answers 200', measurements, issues: [] };
  const issue = { severity: 'critical', title: 'answers 500', detail: '3 of 3 tries failed.' };
  return {
    status: 'failed',
    summary: 'answers 500',
    issues: [issue],
    measurements: { ...measurements, status: 500 },
  };
};

/** The last event of a run that is not live. */
export const ENDED: Flooded = {
  name: 'lifecycle.completed',
  source: HEAD,
  data: {
    summary: 'Nothing can be concluded.',
    report: null,
    partial: false,
    reasons: [],
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  },
};
