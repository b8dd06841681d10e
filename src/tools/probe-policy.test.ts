import { describe, expect, test } from '@jest/globals';
import { nodeOf } from '../../test/support/loopback.js';
import { DEFAULT_TENANT } from '../domain/tenant.js';
import type { Topology, TopologyNode } from '../domain/topology/topology.js';
import { LocalConnectionLimiter } from './limits/local-connection-limiter.js';
import { ProbePlaces } from './limits/probe-places.js';
import { PROBE_POLICY } from './probe-policy.js';
import type { Tool } from './tool.js';
import { ToolRegistry } from './tool-registry.js';

describe('what the policy of the operator denies', () => {
  const policy = { ...PROBE_POLICY, dnsPorts: [53, 5353], localProbes: false };
  const registry = new ToolRegistry(new ProbePlaces(new LocalConnectionLimiter()), policy);
  const server = (address: string) => nodeOf('dns', 'shop.example', { server: address });
  const topologyOf = (...nodes: TopologyNode[]) => ({ nodes }) as unknown as Topology;
  const PORT =
    'connections to 127.0.0.1:21001 are not allowed: a name server may be asked on port 53, 5353, not 21001; an operator can allow others by PROBE_DNS_PORTS';
  const OFF =
    'tools may not measure the machine and the processes of this service: LOCAL_PROBES is off, or the topology is of another tenant than `default`';

  test.each<[string, TopologyNode, string, string, string]>([
    ['dns_lookup', server('127.0.0.1:21001'), 'attributes.server', 'EGRESS_DENIED', PORT],
    ['host_resources', nodeOf('host'), 'kind', 'FORBIDDEN', OFF],
    ['process_check', nodeOf('process', undefined, { pid: 1 }), 'kind', 'FORBIDDEN', OFF],
  ])('M4: %s is a warning of the topology, and no call', async (name, node, at, code, why) => {
    expect(
      registry.policyWarnings(topologyOf(nodeOf('tcp', '127.0.0.1:1'), node), DEFAULT_TENANT),
    ).toEqual([{ path: `nodes[1].${at}`, message: `${name} cannot measure the node: ${why}` }]);
    const tool = registry.get(name) as Tool;
    const call = { topology: topologyOf(node), node, signal: new AbortController().signal };
    const refused = registry.run(
      tool,
      { node: node.id },
      {
        ...call,
        problem: '',
        runId: 'run',
        operation: 'run.t1',
        tenant: DEFAULT_TENANT,
        limitMs: 30_000,
      },
    );
    await expect(refused).rejects.toMatchObject({ code, message: why });
  });

  test('warns of nothing that is allowed, or recorded', () => {
    const allowed = [server('127.0.0.1'), server('[::1]:53'), server('odd')];
    expect(registry.policyWarnings(topologyOf(...allowed), DEFAULT_TENANT)).toEqual([]);
    const sources = [{ id: 'r', kind: 'recording', incident: 'i', provides: ['probes'] }];
    const recorded = { nodes: [nodeOf('host')], sources } as unknown as Topology;
    expect(registry.policyWarnings(recorded, DEFAULT_TENANT)).toEqual([]);
  });
});
