import { expect, test } from '@jest/globals';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
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

test.each([
  ['orders', ['orders', 'template1']],
  ['payments', ['payments']],
  ['other', ['orders', 'payments', 'template1']],
])('node %s has the databases %j', async (id, expected) => {
  const node = NODES.find((each) => each.id === id) ?? nodeOf('postgres');
  const owns = await ownsDatabase(POSTGRES, { ...contextOf(node), nodes: NODES });
  expect(['orders', 'payments', 'template1'].filter(owns)).toEqual(expected);
});
