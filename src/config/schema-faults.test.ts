import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { schemaFaults } from './schema-faults.js';

const reference = z.string().regex(/^\$/, 'must be a reference');
const word = z.string().regex(/^[a-z]+$/);
const schema = z.strictObject({
  routes: z.array(
    z.strictObject({ topology: z.int().positive(), teams: z.array(z.string()).min(1).optional() }),
  ),
  quiet: z.boolean().optional(),
  on: z.enum(['failed', 'cancelled']).optional(),
  name: z.string().max(3).optional(),
  secret: reference.optional(),
  word: word.optional(),
  brokers: z.string().startsWith('kafka://').optional(),
  auth: z
    .union([
      z.strictObject({ bearer: reference }),
      z.strictObject({ user: z.string(), password: reference }),
    ])
    .optional(),
  servers: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('prometheus'), endpoint: z.string() }),
        z.strictObject({ kind: z.literal('postgres') }),
      ]),
    )
    .optional(),
});

test.each([
  [{}, 'routes is missing'],
  [{ routes: 7 }, 'routes must be a list'],
  [{ routes: [{ topology: '7' }] }, 'routes[0].topology must be a number'],
  [{ routes: [{ topology: 1.5 }] }, 'routes[0].topology must be an integer'],
  [{ routes: [{ topology: 0 }] }, 'routes[0].topology must be at least 0'],
  [{ routes: [{ topology: 1, teams: [] }] }, 'routes[0].teams must have at least 1 entry'],
  [
    { routes: [{ topolgy: 1, topology: 1 }] },
    'routes[0].topolgy unknown key; did you mean "topology"? allowed: topology, teams',
  ],
  [{ routes: [], quiet: 'x' }, 'quiet must be true or false'],
  [{ routes: [], on: 'x' }, 'on must be one of failed, cancelled'],
  [{ routes: [], name: 'long' }, 'name must have at most 3 characters'],
  [{ routes: [], secret: 'hunter2' }, 'secret must be a reference'],
  [{ routes: [], word: '7' }, 'word must match /^[a-z]+$/'],
  [{ routes: [], brokers: 'a:9092' }, 'brokers must begin with kafka://'],
  [{ routes: [], auth: { user: 'ops' } }, 'auth must be {bearer}, or {user, password}'],
  [{ routes: [], auth: 'hunter2' }, 'auth must be {bearer}, or {user, password}'],
  [
    { routes: [], servers: [{ kind: 'mysql' }] },
    'servers[0].kind must be one of prometheus, postgres',
  ],
  [
    { routes: [], servers: [{ kind: 'promethues' }] },
    'servers[0].kind must be one of prometheus, postgres; did you mean prometheus?',
  ],
  [{ routes: [], servers: [{ kind: 'prometheus' }] }, 'servers[0].endpoint is missing'],
])('%j: %s', (value, fault) => {
  const read = schemaFaults(schema, value);
  expect('faults' in read && read.faults.map(({ path, message }) => `${path} ${message}`)).toEqual([
    fault,
  ]);
});

test('names every unknown key, and repeats no value', () => {
  const read = schemaFaults(schema, { routes: [], quit: 'hunter2', nam: 'hunter2' });
  expect('faults' in read && read.faults.map(({ path }) => path)).toEqual(['quit', 'nam']);
  expect(JSON.stringify(read)).not.toContain('hunter2');
});
