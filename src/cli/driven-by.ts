import type { Client, ModelRecord } from '../client/index.js';
import { oneLine } from './report/layout.js';

interface Agent {
  model?: string;
}

/** The part of `GET /topologies/{id}` that lists the model of each agent. */
interface AgentAssignments {
  globalSupervisor?: Agent;
  teams?: { supervisor?: Agent; workers?: Agent[] }[];
}

/** The models of the agents of a topology, in one line. */
export async function drivenBy(client: Client, topologyId: number): Promise<string> {
  const [models, topology] = await Promise.all([client.models(), client.topology(topologyId)]);
  const standard = models.find((model) => model.default)?.name;
  const names = new Set(
    agentsOf(topology as AgentAssignments).map(({ model = standard }) => model),
  );
  return oneLine(
    `Agents are driven by ${models
      .filter(({ name }) => names.has(name))
      .map(called)
      .join(' and ')}.`,
  );
}

const called = ({ name, description }: ModelRecord): string =>
  name === 'runbook' ? 'the runbook (built in, no language model)' : `${name} (${description})`;

const agentsOf = ({ globalSupervisor = {}, teams = [] }: AgentAssignments): Agent[] => [
  globalSupervisor,
  ...teams.flatMap(({ supervisor = {}, workers = [] }) => [supervisor, ...workers]),
];
