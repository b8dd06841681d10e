import type { AgentReport } from '../../../src/domain/diagnosis/agent-report.js';
import type { Finding } from '../../../src/domain/diagnosis/finding.js';
import type { Measurement } from '../../../src/domain/diagnosis/measurement.js';
import type { Issue, Measures } from '../../../src/domain/diagnosis/tool-result.js';
import type { Topology, TopologyNode } from '../../../src/domain/topology/topology.js';

const node = (id: string, kind: string, ...dependsOn: string[]): TopologyNode => ({
  id,
  name: id.toUpperCase(),
  kind,
  dependsOn,
  attributes: {},
  ...(id === 'db' && { endpoint: 'tcp://127.0.0.1:55432' }),
});

/** web → api → db */
export const SHOP: Topology = {
  id: 1,
  name: 'Shop',
  nodes: [node('web', 'service', 'api'), node('api', 'service', 'db'), node('db', 'tcp')],
  globalSupervisor: { agentId: '1', name: 'Top' },
  teams: [
    {
      name: 'All',
      nodes: ['web', 'api', 'db'],
      supervisor: { agentId: '2', name: 'Lead' },
      workers: [
        { agentId: '3', name: 'Web', node: 'web', tools: ['http_probe'] },
        { agentId: '4', name: 'Api', node: 'api', tools: ['http_probe'] },
        { agentId: '5', name: 'Db', node: 'db', tools: ['tcp_probe'] },
      ],
    },
  ],
};

const measuresOf: Record<string, Measures> = {
  tcp_probe: 'transport',
  http_probe: 'service',
  redis_inspect: 'service',
  log_search: 'records',
  recent_changes: 'system',
  rank_root_causes: 'system',
};
export const issue = (over: Partial<Issue> = {}): Issue => ({
  severity: 'critical',
  symptom: 'erroring',
  title: 'answers 500 Internal Server Error',
  detail: '3 of 3 tries failed.',
  ...over,
});
export const measured = (
  sequence: number,
  of: string,
  issues: Issue[] = [],
  over: Partial<Measurement> = {},
): Measurement => ({
  sequence,
  node: of,
  issues,
  tool: of === 'db' ? 'tcp_probe' : 'http_probe',
  at: '2026-11-22T10:00:00.000Z',
  subject: '',
  unreliable: false,
  summary: `looked at ${of}`,
  tries: 1,
  partial: false,
  measures: measuresOf[over.tool ?? (of === 'db' ? 'tcp_probe' : 'http_probe')] ?? 'service',
  status: issues.some(({ severity }) => severity === 'critical')
    ? 'failed'
    : issues.length > 0
      ? 'degraded'
      : 'ok',
  ...over,
});
export const claim = (over: Partial<Finding> = {}): Finding => ({
  node: 'api',
  severity: 'critical',
  title: 'is broken',
  detail: '',
  evidence: [5],
  ...over,
});
export const report = (findings: Finding[], over: Partial<AgentReport> = {}): AgentReport => ({
  agentId: '4',
  dispatchId: 'd1_2',
  status: 'ok',
  reasons: [],
  summary: '',
  findings,
  ...over,
});
export const ALL_WELL = [measured(4, 'web'), measured(5, 'api'), measured(6, 'db')];

export const finding = (
  node: string,
  title: string,
  evidence: number[],
  severity: Finding['severity'] = 'critical',
): Finding => ({
  node,
  title,
  evidence,
  severity,
  detail: '',
});
