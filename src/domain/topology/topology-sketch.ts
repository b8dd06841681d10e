/**
 * What can be told of a topology that may be broken anywhere: only what has the right type is there, at its own index, so
 * that a fault in one part does not keep the checks across parts from looking at the others.
 */
export interface NodeSketch {
  raw: unknown;
  id: string | undefined;
  dependsOn: (string | undefined)[];
}

export interface TeamSketch {
  raw: unknown;
  name: string | undefined;
  nodes: (string | undefined)[];
  supervisorId: string | undefined;
  workers: WorkerSketch[];
}

export interface WorkerSketch {
  raw: unknown;
  agentId: string | undefined;
  name: string | undefined;
  node: string | undefined;
  tools: (string | undefined)[];
}

export interface TopologySketch {
  nodes: NodeSketch[];
  teams: TeamSketch[];
  globalSupervisorId: string | undefined;
}

/** @param most lists longer than this are told as empty: the schema has refused them, and they are not read */
export function sketchTopology(input: unknown, most: number): TopologySketch {
  const list = (holder: unknown, key: string): unknown[] => {
    const value = entry(holder, key);
    // Copied, since a walk over a sparse array would pass over its holes.
    return Array.isArray(value) && value.length <= most ? Array.from(value as unknown[]) : [];
  };
  const texts = (holder: unknown, key: string): (string | undefined)[] =>
    list(holder, key).map(asText);
  return {
    nodes: list(input, 'nodes').map((raw) => ({
      raw,
      id: text(raw, 'id'),
      dependsOn: texts(raw, 'dependsOn'),
    })),
    globalSupervisorId: text(entry(input, 'globalSupervisor'), 'agentId'),
    teams: list(input, 'teams').map((team) => ({
      raw: team,
      name: text(team, 'name'),
      nodes: texts(team, 'nodes'),
      supervisorId: text(entry(team, 'supervisor'), 'agentId'),
      workers: list(team, 'workers').map((worker) => ({
        raw: worker,
        agentId: text(worker, 'agentId'),
        name: text(worker, 'name'),
        node: text(worker, 'node'),
        tools: texts(worker, 'tools'),
      })),
    })),
  };
}

function entry(holder: unknown, key: string): unknown {
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)
    ? (holder as Record<string, unknown>)[key]
    : undefined;
}

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;
const text = (holder: unknown, key: string): string | undefined => asText(entry(holder, key));
