import { HEAD, type Draft } from './log-server.js';

interface Drawn {
  nodes: number;
  unhealthy: number;
  causes?: readonly number[];
  /** What node `i` depends on. */
  needs: (i: number) => number[];
  nameOf?: (i: number) => string;
  /** A quantity of each node that moved. */
  moved?: string;
}

const idOf = (i: number): string => `n${i}`;

/** A call of the agent at the top, and that a quantity of a node moved. */
function measured(node: string, name: string): Draft[] {
  const call = { dispatch_id: null, turn: 1, attempt: 1, tool: 'metrics', tool_call_id: node };
  const result = { status: 'degraded', issues: [], measurements: {} };
  const moved = [{ name, from: 5, to: 92 }];
  return [
    { name: 'llm.tool_call', data: { ...call, args: { node } }, agent: HEAD },
    {
      name: 'llm.tool_result',
      data: {
        ...call,
        status: 'ok',
        duration_ms: 5,
        result: { ...result, measurements: { moved } },
      },
      agent: HEAD,
    },
  ];
}

/** A run that has ended, whose first nodes are unhealthy. */
export function runOf({ nodes, unhealthy, causes = [], needs, nameOf, moved }: Drawn): Draft[] {
  const ids = Array.from({ length: nodes }, (_, i) => i);
  return [
    {
      name: 'lifecycle.started',
      data: { kind: 'diagnosis', topology_id: 1, topology_name: 'Large', user_message: 'Slow.' },
    },
    {
      name: 'system.topology',
      data: {
        hierarchy: {
          topology_id: 1,
          version: 1,
          teams: [],
          global_supervisor: { agent_id: '1', agent_name: 'Head' },
          nodes: ids.map((i) => ({
            id: idOf(i),
            kind: 'service',
            name: nameOf?.(i) ?? `checkout payments ${i}`,
            depends_on: needs(i).map(idOf),
          })),
        },
      },
    },
    ...(moved === undefined ? [] : ids.flatMap((i) => measured(idOf(i), moved))),
    {
      name: 'lifecycle.completed',
      data: {
        summary: 'Broken.',
        partial: false,
        reasons: [],
        report: {
          verdict: 'issues_found',
          headline: 'Broken.',
          root_causes: causes.map((i) => ({
            node: idOf(i),
            title: 'refuses writes',
            detail: '',
            confidence: 0.9,
            evidence: [],
          })),
          unchecked: [],
          nodes: ids
            .slice(unhealthy)
            .filter((i) => !causes.includes(i))
            .map((i) => ({ node: idOf(i), state: 'healthy' })),
          findings: ids.slice(0, unhealthy).map((i) => ({
            node: idOf(i),
            severity: i % 3 === 0 ? 'warning' : 'critical',
            title: 'answers 500',
            detail: '',
            evidence: [],
          })),
          counts: { critical: 16, warning: 8, info: 0 },
        },
        usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
      },
      agent: HEAD,
    },
  ];
}
