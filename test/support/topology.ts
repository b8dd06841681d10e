/** A node in short. A test target fits, too: of it, only the endpoint goes into the topology. */
export interface NodeSketch {
  endpoint?: string;
  kind?: string;
  dependsOn?: string[];
  attributes?: Record<string, unknown>;
}

let lastId = 1_000;

/** A machine that is busy with other tests is slow; only a test that is about slowness wants to hear of it. */
const PATIENT = { slowMs: 20_000 };

/** A topology of nodes by id, its agents derived unless given. Each has an id of its own. */
export function topologyOf(nodes: Record<string, NodeSketch>, more: object = {}) {
  return {
    id: ++lastId,
    name: `Topology ${lastId}`,
    nodes: Object.entries(nodes).map(
      ([id, { endpoint, kind = 'service', dependsOn, attributes }]) => ({
        ...{ id, name: `The ${id}`, kind },
        ...{ endpoint, dependsOn, attributes: { ...PATIENT, ...attributes } }, // What is undefined is left out of JSON.
      }),
    ),
    ...more,
  };
}

/** The same with a team for each node, named after it. */
export function teamOfEach(nodes: Record<string, NodeSketch>, more: object = {}) {
  const teams = Object.entries(nodes).map(([id, { endpoint, kind, dependsOn, attributes }]) => {
    const sketch = {
      ...(endpoint && { endpoint }),
      ...(kind && { kind }),
      ...(dependsOn && { dependsOn }),
    };
    return [id, { ...sketch, attributes: { team: `${id} team`, ...attributes } }] as const;
  });
  return topologyOf(Object.fromEntries(teams), more);
}

/** What a topology says of its agents that has one team, of one worker for the node `shop`. */
export function oneWorker(tools: readonly string[], more: object = {}) {
  const worker = { agentId: '3', name: 'Worker', node: 'shop', tools, ...more };
  const team = {
    name: 'Team',
    nodes: ['shop'],
    supervisor: { agentId: '2', name: 'Lead' },
    workers: [worker],
  };
  return { globalSupervisor: { agentId: '1', name: 'Head' }, teams: [team] };
}
