/**
 * The readable parts of a topology that may be broken anywhere: values with the right type, at
 * their index. A fault in one part then does not prevent checks of others.
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

/** @param most longer lists count as empty: the schema has refused them */
export function sketchTopology(input: unknown, most: number): TopologySketch {
  const list = (holder: unknown, key: string): unknown[] => {
    const value = entry(holder, key);
    // Copied, because iterating a sparse array skips its holes.
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
