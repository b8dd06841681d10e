import { parseTopology } from '../../../src/domain/topology/parse-topology.js';
import type { ToolFacts } from '../../../src/domain/diagnosis/tool-result.js';

const tool = (name: string, ...kinds: string[]): ToolFacts => ({
  name,
  appliesTo: (node) => kinds.includes(node.kind),
});
/** Tools and the kinds of nodes to which they apply. */
export const TOOLS = [
  tool('http_probe', 'service'),
  tool('tcp_probe', 'tcp', 'service', 'redis', 'tls'),
  tool('redis_inspect', 'redis'),
  tool('dns_lookup', 'dns'),
  tool('host_resources', 'host', 'process'),
];

/** A part of a topology that a test may make invalid. */
export type Loose = Record<string, unknown>;

/** Two nodes, one team, three agents; valid. */
export function valid() {
  return {
    id: 7,
    name: 'Shop',
    nodes: [
      {
        id: 'api',
        name: 'API',
        kind: 'service',
        endpoint: 'http://127.0.0.1:8080/health',
        dependsOn: ['cache'],
      },
      {
        id: 'cache',
        name: 'Cache',
        kind: 'redis',
        endpoint: 'redis://:secret@127.0.0.1:6379',
        attributes: { memoryPercent: 80 },
      },
    ] as Loose[],
    globalSupervisor: { agentId: '1', name: 'Chief' } as Loose,
    teams: [
      {
        name: 'Core',
        nodes: ['api', 'cache'],
        supervisor: { agentId: '2', name: 'Core lead' },
        workers: [
          { agentId: '3', name: 'API worker', node: 'api', tools: ['http_probe', 'tcp_probe'] },
          { agentId: '4', name: 'Cache worker', node: 'cache', tools: ['redis_inspect'] },
        ] as Loose[],
      } as Loose,
    ],
  };
}
export type Input = ReturnType<typeof valid>;

/** Parses an input. @returns its faults, none for a topology */
export const faultsOf = (input: unknown) => {
  const outcome = parseTopology(input, TOOLS);
  return 'faults' in outcome ? outcome.faults : [];
};

export const at = <T>(list: T[], index: number): T => list[index] as T;
export const node = (input: Input, index: number) => at(input.nodes, index);
export const team = (input: Input) => at(input.teams, 0);
export const worker = (input: Input, index = 0) => at(team(input)['workers'] as Loose[], index);

/** A single node instead of the two, with derived agents. */
export const alone = (entry: Loose) => (input: Input) => ({
  id: input.id,
  name: input.name,
  nodes: [{ id: 'n', name: 'N', ...entry }],
});
/** Gives the first node these attributes. */
export const withAttributes = (attributes: unknown) => (input: Input) =>
  void (node(input, 0)['attributes'] = attributes);
