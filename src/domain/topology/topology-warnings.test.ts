import { describe, expect, it } from '@jest/globals';
import type { ToolFacts } from '../diagnosis/tool-result.js';
import { allAtOnce } from '../../lib/steps.js';
import {
  documentWarnings,
  likelySlips,
  misspellings,
  topologyWarnings,
} from './topology-warnings.js';
import type { Topology, TopologyNode } from './topology.js';

const kinds = (...names: unknown[]) => likelySlips({ nodes: names.map((kind) => ({ kind })) });

describe('likelySlips', () => {
  it.each([
    ['servce', 'service'],
    ['Service', 'service'],
    ['reddis', 'redis'],
    ['procss', 'process'],
    ['hosts', 'host'],
    ['tpc', 'tcp'],
  ])('takes the kind %s for a slip of %s', (kind, meant) => {
    expect(kinds(kind)).toEqual([
      {
        path: 'nodes[0].kind',
        message: `unknown kind "${kind}"; did you mean "${meant}"? kinds with tools: service, tcp, redis, postgres, mysql, rabbitmq, kafka, elasticsearch, dns, tls, prometheus, host, process`,
      },
    ]);
  });

  it.each(['service', 'postgres', 'kafka', 'deployment', 'http', 'db', 'port', 3, null])(
    'accepts the kind %s',
    (kind) => expect(kinds(kind)).toEqual([]),
  );

  it('names misspelt attributes with what was meant', () => {
    expect(likelySlips({ nodes: [{ kind: 'tcp', attributes: { slowMS: 1 } }] })).toEqual([
      {
        path: 'nodes[0].attributes.slowMS',
        message: 'unknown attribute "slowMS" has no effect; did you mean "slowMs"?',
      },
    ]);
  });

  it('accepts anything that is no topology', () => {
    for (const content of [undefined, null, 3, [], { nodes: 3 }, { nodes: [null, 3] }])
      expect(likelySlips(content)).toEqual([]);
  });

  it('stops after twenty kinds', () =>
    expect(kinds(...Array.from({ length: 50 }, () => 'servce'))).toHaveLength(20));
});

it('takes misspelt kinds before misspelt attributes, and no other attribute, for a reason', () => {
  const topology = { nodes: [{ attributes: { owner: 'me', slowMS: 1 } }, { kind: 'servce' }] };
  expect(misspellings(topology).map(({ path }) => path)).toEqual([
    'nodes[1].kind',
    'nodes[0].attributes.slowMS',
  ]);
  expect(likelySlips(topology).map(({ path }) => path)).toEqual([
    'nodes[0].attributes.owner',
    'nodes[0].attributes.slowMS',
    'nodes[1].kind',
  ]);
});

describe('topologyWarnings', () => {
  const probe = { name: 'probe', appliesTo: ({ kind }) => kind === 'tcp' } as ToolFacts;
  const topologyOf = (...given: string[]) =>
    ({
      nodes: given.map((kind) => ({ id: kind, name: kind, kind, dependsOn: [], attributes: {} })),
    }) as unknown as Topology;
  const warnings = (...given: string[]) =>
    allAtOnce(topologyWarnings(topologyOf(...given), [probe]));

  it('says what a node of a known kind lacks', () => {
    const [warning] = warnings('elasticsearch');
    expect(warning?.message).toBe(
      'no tool can measure node "elasticsearch" of kind "elasticsearch" as it is written: it needs an endpoint that fits its kind, or a source in `in` (docs/sources.md)',
    );
  });

  it('names nodes that no tool can measure, and the kinds that there are', () => {
    expect(warnings('tcp', 'etcd')).toEqual([
      {
        path: 'nodes[1].kind',
        message:
          'no tool can measure node "etcd" of kind "etcd"; kinds with tools: service, tcp, redis, postgres, mysql, rabbitmq, kafka, elasticsearch, dns, tls, prometheus, host, process',
      },
    ]);
  });

  it('says that a host with an endpoint is not measured, unless it is the machine of the worker', () => {
    const far = { id: 'far', name: 'Far', kind: 'host', endpoint: '%% nonsense' };
    const nodes = [far, { ...far, id: 'own', endpoint: 'localhost' }, { ...far, in: { p: 'x' } }];
    const looksUp = { name: 'dns_lookup', appliesTo: () => true } as unknown as ToolFacts;
    const host = {
      name: 'host_resources',
      appliesTo: ({ endpoint }) => endpoint === 'localhost',
    } as ToolFacts;
    const topology = { nodes: nodes.map((each) => ({ ...each, dependsOn: [], attributes: {} })) };
    expect(allAtOnce(topologyWarnings(topology as unknown as Topology, [looksUp, host]))).toEqual([
      {
        path: 'nodes[0].endpoint',
        message: expect.stringMatching(
          /^the machine of node "far" is not measured: .*needs no endpoint/,
        ),
      },
    ]);
  });

  it('has them in the order of the document, whatever their sort', () => {
    const { nodes } = topologyOf('etcd', 'servce', 'toaster');
    const [etcd, ...rest] = nodes;
    const topology = { nodes: [{ ...etcd, attributes: { owner: 'me' } }, ...rest] };
    const all = allAtOnce(topologyWarnings(topology as unknown as Topology, [probe]));
    expect(all.map(({ path }) => path)).toEqual([
      'nodes[0].kind',
      'nodes[0].attributes.owner',
      'nodes[1].kind',
      'nodes[2].kind',
    ]);
  });

  it('knows attributes of own tools, and says which one a node lacks that has no other tool', () => {
    const own: ToolFacts = {
      name: 'queue_depth',
      appliesTo: ({ kind }) => kind === 'queue',
      attributes: ['queue'],
      lacks: ({ attributes }) => (attributes['queue'] === undefined ? ['queue'] : []),
    };
    const [node] = topologyOf('queue').nodes;
    const nodes = [node, { ...node, attributes: { queue: 'mailer' } }];
    const all = allAtOnce(topologyWarnings({ nodes } as unknown as Topology, [probe, own]));
    expect(all).toEqual([
      {
        path: 'nodes[0].kind',
        message: 'node "queue" is measured by queue_depth alone, which needs the attribute "queue"',
      },
    ]);
  });

  it('names twenty nodes at most', () =>
    expect(warnings(...Array.from({ length: 50 }, (_, i) => `toaster-${i}`))).toHaveLength(20));

  it('says once what is wrong with a kind', () => expect(warnings('servce')).toHaveLength(1));
});

describe('documentWarnings', () => {
  const tool = {
    name: 'own',
    appliesTo: ({ kind, endpoint, in: selectors }: TopologyNode) =>
      kind === 'broker' || endpoint === 'http://stats' || selectors?.['metrics'] !== undefined,
  };
  const pathsOf = (document: unknown) => documentWarnings(document, [tool]).map(({ path }) => path);

  it('names kinds that no tool knows, also of nodes with faults', () => {
    const nodes = [{ kind: 'broker' }, { kind: 'etcd' }, { kind: 5 }, null, { kind: 'tcp' }];
    expect(pathsOf({ nodes })).toEqual(['nodes[1].kind']);
    expect(pathsOf({ nodes: [{ kind: 'etcd', in: { metrics: 'job="x"' } }] })).toEqual([]);
    expect(pathsOf({ nodes: [{ kind: 'stats', endpoint: 'http://stats' }] })).toEqual([]);
  });

  it('has them in the order of the document, and twenty at most', () => {
    const nodes = [
      { kind: 'etcd', attributes: { owner: 'me' } },
      { kind: 'servce' },
      { kind: 'toaster' },
    ];
    expect(pathsOf({ nodes })).toEqual([
      'nodes[0].kind',
      'nodes[0].attributes.owner',
      'nodes[1].kind',
      'nodes[2].kind',
    ]);
    expect(pathsOf({ nodes: Array.from({ length: 50 }, () => ({ kind: 'etcd' })) })).toHaveLength(
      20,
    );
  });

  it('names none where a source cannot be read, or where there is no document', () => {
    expect(pathsOf({ nodes: [{ kind: 'etcd' }], sources: 'all' })).toEqual([]);
    expect([null, 5, 'x', []].map(pathsOf)).toEqual([[], [], [], []]);
  });
});
