/** Thirteen agents: a global supervisor, three teams, nine workers with one probe each. */
export const TOPOLOGY = {
  id: 9_001,
  name: 'Thirteen agents',
  nodes: numbers(9).map((i) => ({
    id: `n${i}`,
    name: `Node ${i}`,
    kind: 'service',
    endpoint: `http://127.0.0.1:9/${i}`,
  })),
  globalSupervisor: { agentId: '1', name: 'Global' },
  teams: numbers(3).map((team) => ({
    name: `Team ${team}`,
    nodes: members(team).map((i) => `n${i}`),
    supervisor: { agentId: String(10 + team), name: `Supervisor ${team}` },
    workers: members(team).map((i) => ({
      agentId: String(100 + i),
      name: `Worker ${i}`,
      node: `n${i}`,
      tools: ['http_probe'],
    })),
  })),
};

export const TEAMS = 3;
export const WORKERS_EACH = 3;
export const AGENTS = 1 + TEAMS + TEAMS * WORKERS_EACH;

function numbers(count) {
  return Array.from({ length: count }, (_, i) => i + 1);
}

function members(team) {
  return [team * 3 - 2, team * 3 - 1, team * 3];
}
