import { fitsIn } from '../../lib/text.js';
import { TOPOLOGY_BOUNDS } from './schema/forms.js';
import { sourceSchema } from './schema/source-schema.js';
import type { AgentBinding, TopologySource } from './topology.js';

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

/**
 * Further requirements of the node's kind. Absent: not given. Undefined: given, and not readable.
 */
export interface PlaceSketch {
  kind: string;
  endpoint?: string | undefined;
  in?: unknown;
  attributes?: object | undefined;
}

/** Reads it of a node with faults; undefined if it has no readable kind. */
export function sketchPlace(raw: unknown): PlaceSketch | undefined {
  const kind = text(raw, 'kind');
  if (kind === undefined) return undefined;
  const [endpoint, selectors, attributes] = ['endpoint', 'in', 'attributes'].map((key) =>
    entry(raw, key),
  );
  const isEndpoint =
    typeof endpoint === 'string' &&
    endpoint.trim() !== '' &&
    fitsIn(endpoint, TOPOLOGY_BOUNDS.text);
  const isObject =
    typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes);
  return {
    kind,
    ...(endpoint !== undefined && { endpoint: isEndpoint ? endpoint : undefined }),
    ...(selectors !== undefined && { in: selectors }),
    ...(attributes !== undefined && { attributes: isObject ? attributes : undefined }),
  };
}

type AgentNames = Pick<AgentBinding, 'behaviour' | 'model'>;

/** The behaviours and models that agents name. */
export interface NamedParts {
  globalSupervisor: AgentNames;
  teams: { supervisor: AgentNames; workers: AgentNames[] }[];
}

/** Reads them of a topology with faults. */
export function sketchNames(input: unknown, most: number): NamedParts {
  const names = (agent: unknown): AgentNames => {
    const [behaviour, model] = [text(agent, 'behaviour'), text(agent, 'model')];
    return { ...(behaviour !== undefined && { behaviour }), ...(model !== undefined && { model }) };
  };
  const { teams } = sketchTopology(input, most);
  return {
    globalSupervisor: names(entry(input, 'globalSupervisor')),
    teams: teams.map(({ raw, workers }) => ({
      supervisor: names(entry(raw, 'supervisor')),
      workers: workers.map((worker) => names(worker.raw)),
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

/** The sources of a topology that has faults, as far as they can be read. */
export function sketchSources(input: unknown): TopologySource[] {
  const given = entry(input, 'sources');
  if (!Array.isArray(given) || given.length > TOPOLOGY_BOUNDS.sources) return [];
  return Array.from(given as unknown[]).flatMap((raw) => {
    const parsed = sourceSchema.safeParse(raw);
    if (parsed.success) return [parsed.data];
    const [id, kind] = [text(raw, 'id'), text(raw, 'kind')];
    // A kind that does not exist has no selectors.
    return id === undefined ? [] : [{ id, kind, provides: [] } as unknown as TopologySource];
  });
}
