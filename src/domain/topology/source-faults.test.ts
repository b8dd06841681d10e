import { describe, expect, test } from '@jest/globals';
import { parseTopology } from './parse-topology.js';

const TOOLS = [{ name: 'look', appliesTo: () => true }];
const api = { id: 'api', name: 'API', kind: 'x', in: { prom: 'job="api",env=~"prod|test"' } };
const prom = { id: 'prom', kind: 'prometheus', endpoint: 'http://prom:9090' };
const faultsOf = (nodes: object[], sources: object[]) => {
  const outcome = parseTopology({ id: 1, name: 'Shop', nodes, sources }, TOOLS);
  return 'faults' in outcome ? outcome.faults.map(({ path }) => path) : [];
};

test('accepts a source that a node selects from, and fills in what it provides', () => {
  const outcome = parseTopology({ id: 1, name: 'Shop', nodes: [api], sources: [prom] }, TOOLS);
  expect(outcome).toMatchObject({
    topology: { sources: [{ ...prom, provides: ['metrics'] }], nodes: [{ in: api.in }] },
  });
});

test('a resolved topology parses to itself', () => {
  const once = parseTopology({ id: 1, name: 'Shop', nodes: [api], sources: [prom] }, TOOLS);
  const topology = 'topology' in once ? once.topology : undefined;
  expect(parseTopology(topology, TOOLS)).toEqual({ topology });
});

test.each([
  ['a source that no node uses', [{ ...api, in: {} }], [prom], ['sources[0]']],
  ['a selector of an unknown source', [api], [], ['nodes[0].in.prom']],
  ['two sources of one id', [api], [prom, prom], ['sources[1].id']],
  [
    'an unknown kind',
    [{ ...api, in: {} }],
    [{ ...prom, kind: 'x' }],
    ['sources[0].kind', 'sources[0]'],
  ],
  [
    'an endpoint with a password',
    [api],
    [{ ...prom, endpoint: 'http://u:p@prom' }],
    ['sources[0].endpoint'],
  ],
])('refuses %s', (_, nodes, sources, paths) => expect(faultsOf(nodes, sources)).toEqual(paths));

test('a key of another kind is a fault that names the keys of its own, and no other fault', () => {
  const nodes = [{ ...api, in: { logs: '{app="api"}' } }];
  const sources = [{ id: 'logs', kind: 'loki', endpoint: 'http://loki:3100' }];
  expect(parseTopology({ id: 1, name: 'Shop', nodes, sources }, TOOLS)).toEqual({
    faults: [{ path: 'sources[0].endpoint', message: 'unknown key; allowed: id, kind, provides' }],
  });
});

test('a fault elsewhere makes no source unknown', () => {
  const outcome = parseTopology({ id: 1, nodes: [api], sources: [prom] }, TOOLS);
  expect('faults' in outcome && outcome.faults.map(({ path }) => path)).toEqual(['name']);
});

test.each(['job="api"} or vector(1', 'job=api', '', '{job="api"}', 'job="a" unless b="c"'])(
  'refuses the selector %j',
  (selector) => {
    expect(faultsOf([{ ...api, in: { prom: selector } }], [prom])).not.toEqual([]);
  },
);

describe('two sources of one kind at one node', () => {
  const given = (kind: string, selector: string) => {
    const nodes = [{ ...api, in: { first: selector, second: selector } }];
    const sources = ['first', 'second'].map((id) => ({ id, kind }));
    const outcome = parseTopology({ id: 1, name: 'Shop', nodes, sources }, TOOLS);
    return 'faults' in outcome ? outcome.faults : [];
  };

  test.each([
    ['kubernetes', 'deployment/orders'],
    ['alertmanager', 'service="api"'],
    ['postgres', 'shop'],
    ['mysql', 'shop'],
    ['rabbitmq', '/'],
    ['kafka', '*'],
    ['elasticsearch-cluster', '*'],
  ])('are refused where only one is read: %s', (kind, selector) => {
    expect(given(kind, selector)).toEqual([
      {
        path: 'nodes[0].in.second',
        message: `a node is looked up in one source of kind ${kind}: choose "first" or "second"`,
      },
    ]);
  });

  test.each([
    ['prometheus', 'job="api"'],
    ['loki', '{app="api"}'],
    ['git', '*'],
  ])('are read both: %s', (kind, selector) => {
    expect(given(kind, selector)).toEqual([]);
  });
});

describe('a selector of', () => {
  const faultsIn = (kind: string, selector: string) =>
    faultsOf([{ ...api, in: { source: selector } }], [{ id: 'source', kind }]);

  test.each([
    ['loki', '{app="api", env=~"prod|test"}'],
    ['alertmanager', 'service="api", severity!="info"'],
    ['elasticsearch', 'service.name=api, kubernetes.labels.app=web shop'],
    ['rabbitmq', '/'],
    ['kafka', '*'],
    ['kafka', 'mailer,shop.billing'],
    ['github', 'acme/shop'],
    ['github', 'acme/mono/services/orders'],
    ['git', '*'],
    ['git', 'services/größe'],
    ['argocd', 'shop-prod'],
    ['argocd', 'team-a/shop-prod'],
    ['journald', 'getty@tty1.service'],
    ['logfile', '*'],
    ['grafana', 'deploy, orders'],
    ['tempo', 'shop api'],
    ['jaeger', 'shop/api'],
  ])('%s may be %s', (kind, selector) => {
    expect(faultsIn(kind, selector)).toEqual([]);
  });

  test.each([
    ['loki', 'app="api"'],
    ['alertmanager', '*'],
    ['loki', '{app="api"} |= "x"'],
    ['loki', '{app="api"} or {app="b"}'],
    ['loki', '{}'],
    ['elasticsearch', 'api'],
    ['elasticsearch', 'a=b=c'],
    ['elasticsearch', 'a=b,'],
    ['tempo', 'api" && status=error'],
    ['jaeger', ''],
    ['github', 'acme'],
    ['github', 'acme/../admin'],
    ['github', '../acme'],
    ['argocd', 'team/shop/prod'],
    ['journald', 'nginx*'],
    ['logfile', '/etc/passwd'],
    ['git', '../other'],
    ['git', '/etc'],
    ['grafana', 'deploy,'],
    ['kafka', 'mailer,'],
    ['kafka', 'two words'],
  ])('%s must not be %s', (kind, selector) => {
    expect(faultsIn(kind, selector)).not.toEqual([]);
  });
});
