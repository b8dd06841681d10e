import { fieldsOf, listOf, numberOf, textOf, textsOf } from '../read.js';
import type { RunModel } from '../run-model.js';
import type { EventOf } from '../types.js';
import { addRow } from './rows.js';

/** The nodes and agents as pinned for the run, and the agent at the top. */
export function foldTopology(model: RunModel, event: EventOf<'system.topology'>): void {
  const hierarchy = fieldsOf(event.data.hierarchy);
  model.topologyVersion = numberOf(hierarchy['version']) ?? null;
  const teamOf = new Map<string, string>();
  for (const item of listOf(hierarchy['teams'])) {
    const team = fieldsOf(item);
    for (const node of textsOf(team['nodes'])) teamOf.set(node, textOf(team['team_name']));
    addAgent(model, team['supervisor']);
    for (const worker of listOf(team['workers'])) addAgent(model, worker);
  }
  for (const item of listOf(hierarchy['nodes'])) {
    const node = fieldsOf(item);
    const id = textOf(node['id']);
    model.nodes.set(id, {
      id,
      name: textOf(node['name'], id),
      kind: textOf(node['kind']),
      dependsOn: textsOf(node['depends_on']),
      team: teamOf.get(id) ?? null,
      changes: [],
      looks: [],
      results: [],
    });
  }
  const top = fieldsOf(hierarchy['global_supervisor']);
  addAgent(model, top);
  addRow(model, event, {
    id: '',
    role: 'global_supervisor',
    name: textOf(top['agent_name'], 'Global supervisor'),
    agentId: textOf(top['agent_id']),
    team: null,
    task: model.started?.user_message ?? '',
  });
}

function addAgent(model: RunModel, value: unknown): void {
  const agent = fieldsOf(value);
  const node = agent['node'];
  model.agents.set(textOf(agent['agent_id']), {
    name: textOf(agent['agent_name']),
    node: typeof node === 'string' ? node : null,
    model: textOf(agent['model']),
  });
}
