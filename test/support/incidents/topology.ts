/** A short form of a node. A test target fits, too: only its endpoint goes into the topology. */
export interface NodeSketch {
  name?: string;
  endpoint?: string;
  kind?: string;
  dependsOn?: string[];
  attributes?: Record<string, unknown>;
}

let lastId = 1_000;

/**
 * A high threshold, because the machine may be busy with other tests. Tests about slowness set
 * their own.
 */
const PATIENT = { slowMs: 20_000 };

/** A topology of nodes by id with a unique id. Agents are derived unless given. */
export function topologyOf(nodes: Record<string, NodeSketch>, more: object = {}) {
  return {
    id: ++lastId,
    name: `Topology ${lastId}`,
    nodes: Object.entries(nodes).map(
      ([id, { name = `The ${id}`, endpoint, kind = 'service', dependsOn, attributes }]) => ({
        id,
        name,
        kind,
        endpoint,
        dependsOn,
        attributes: { ...PATIENT, ...attributes }, // What is undefined is left out of JSON.
      }),
    ),
    ...more,
  };
}

/** The same with one team per node, named after it. */
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

/** The agents of a topology: one team with one worker for the node `shop`. */
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
