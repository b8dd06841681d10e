import { expect, test } from '@jest/globals';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import type { SourceSet } from '../../sources/source-set.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { POSTGRES } from '../postgres-inspect/postgres-inspect.js';
import { loginOf, ownsDatabase } from './sql-login.js';

const of = (id: string, endpoint: string) => ({ ...nodeOf('postgres', endpoint), id });
const NODES = [
  of('orders', 'postgres://db:5432/orders'),
  of('payments', 'postgres://db/payments'),
  of('other', 'postgres://elsewhere/orders'),
];

test('signs in as the endpoint says', async () => {
  const node = of('x', 'postgres://ops:p%40ss@db:6000/shop?sslmode=require');
  const { login, credential } = await loginOf(POSTGRES, node, {});
  expect(login).toMatchObject({
    host: 'db',
    port: 6_000,
    database: 'shop',
    user: 'ops',
    password: 'p@ss',
  });
  expect([login.tls?.trustSelfSigned, credential]).toEqual([false, 'own']);
});

const owned = async (node: TopologyNode, nodes: TopologyNode[]) => {
  const owns = await ownsDatabase(POSTGRES, { ...contextOf(node), nodes });
  return (['session', 'server'] as const).map((what) =>
    ['orders', 'payments', 'analytics', ''].filter((database) => owns(database, what)),
  );
};

test('sessions of a database without a node are noted by the first node of its server', async () => {
  const strays = async (...nodes: TopologyNode[]) => {
    const owns = await ownsDatabase(POSTGRES, { ...contextOf(nodes[0] ?? nodeOf('x')), nodes });
    return ['orders', 'analytics', ''].filter((database) => owns(database, 'stray'));
  };
  const [orders, payments] = NODES as [TopologyNode, TopologyNode];
  expect(await strays(orders)).toEqual(['analytics']);
  expect(await strays(orders, of('rest', 'postgres://db'))).toEqual([]);
  const owns = await ownsDatabase(POSTGRES, { ...contextOf(payments), nodes: [orders, payments] });
  expect(owns('analytics', 'stray')).toBe(false);
});

test.each([
  [
    'orders',
    [
      ['orders', ''],
      ['orders', 'analytics', ''],
    ],
  ],
  ['payments', [['payments'], ['payments']]],
  [
    'other',
    [
      ['orders', ''],
      ['orders', 'payments', 'analytics', ''],
    ],
  ],
])('node %s has sessions and states of the databases %j', async (id, expected) => {
  const node = NODES.find((each) => each.id === id) ?? nodeOf('postgres');
  expect(await owned(node, NODES)).toEqual(expected);
});

test('a node that names no database stands for those that no node names', async () => {
  const server = of('server', 'postgres://db:5432');
  const [sessions] = await owned(server, [...NODES, server]);
  expect(sessions).toEqual(['analytics']);
});

test('of two credentials, one of which the server may refuse, each has a first node', async () => {
  const nodes = ['wrong', 'right'].map((password) =>
    of(password, `postgres://consilium:${password}@db`),
  );
  const all = ['orders', 'payments', 'analytics', ''];
  for (const node of nodes) expect(await owned(node, nodes)).toEqual([all, all]);
  const same = nodes.map((node) => ({ ...node, endpoint: `${node.endpoint}/orders` }));
  for (const node of same) expect((await owned(node, same))[0]).toEqual(['orders', '']);
});

test.each([
  ['analytics', false],
  [undefined, true],
])(
  'a node that selects %s of a server in SOURCES_FILE stands for the rest: %s',
  async (selector, rest) => {
    const access = { endpoint: 'postgres://db/postgres', ...(selector && { selector }) };
    const sources = { accessOf: () => Promise.resolve(access) } as unknown as SourceSet;
    const node = nodeOf('postgres');
    const owns = await ownsDatabase(POSTGRES, { ...contextOf(node), nodes: [node], sources });
    expect([owns('other', 'session'), owns(selector ?? 'postgres', 'session')]).toEqual([
      rest,
      true,
    ]);
  },
);
