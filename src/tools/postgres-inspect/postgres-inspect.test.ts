import { createServer } from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import {
  askCleartext,
  askScram,
  hostilePostgres,
  pgAuthentication,
  pgMessage,
  signedIn,
} from '../../../test/support/hostile/hostile-postgres.js';
import { inspectPostgres as inspect } from '../../../test/support/sources/inspect-postgres.js';
import { closedPort, contextOf, Loopback, nodeOf, testCa } from '../../../test/support/loopback.js';
import type { SourceSet } from '../../sources/source-set.js';
import { postgresInspect } from './postgres-inspect.js';

test('applies to a node with a postgres URL, or that selects a listed server', () => {
  const applies = (endpoint?: string) => postgresInspect.appliesTo(nodeOf('postgres', endpoint));
  expect([applies('postgres://db/shop'), applies('db:5432'), applies()]).toEqual([
    true,
    false,
    false,
  ]);
  const bound = { ...nodeOf('postgres'), in: { pg: 'shop' } };
  const source = { id: 'pg', kind: 'postgres' as const, provides: [] };
  expect(postgresInspect.appliesTo(bound, [source])).toBe(true);
});

const SCRAM_FIRST = pgAuthentication(11, 'r=x');
const refusalBytes = (state: string, words: string) =>
  pgMessage('E', Buffer.from(`SFATAL\0C${state}\0M${words}\0\0`));
const NO_ROLE = refusalBytes('28000', 'no role');

describe('a server that cannot be asked', () => {
  const targets = new Loopback();
  afterAll(() => targets.close());

  test('is not there', async () => {
    expect(await inspect(`postgres://u@127.0.0.1:${await closedPort()}/x`)).toMatchObject({
      status: 'failed',
      issues: [{ symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' }],
    });
  });

  test('does not answer', async () => {
    const port = await targets.open(createServer());
    const result = await inspect(`postgres://u@127.0.0.1:${port}/x`, { timeoutMs: 200 });
    expect(result.issues).toMatchObject([
      {
        symptom: 'slow',
        title: 'connected, but no complete answer within 200 ms',
        duration_ms: 200,
      },
    ]);
  });

  test('sends what no PostgreSQL sends', async () => {
    const answer = Buffer.from('440000000603e8', 'hex');
    const port = await targets.open(hostilePostgres({ greeting: signedIn, answer }).server);
    expect(await inspect(`postgres://u@127.0.0.1:${port}/x`)).toMatchObject({
      status: 'failed',
      issues: [
        {
          symptom: 'erroring',
          title: expect.stringContaining('(NOT_POSTGRES)') as unknown,
          detail: 'Something else listens there, or its answers are broken or too large.',
        },
      ],
    });
  });

  test.each([
    ['the first message of SCRAM twice', askScram, Buffer.concat([SCRAM_FIRST, SCRAM_FIRST])],
    ['two requests to sign in at once', Buffer.concat([askScram, SCRAM_FIRST]), undefined],
    ['the last message of SCRAM first', pgAuthentication(12, 'v=x'), undefined],
  ])('breaks the protocol: %s', async (_, greeting, answer) => {
    const { server } = hostilePostgres({ greeting, ...(answer && { answer }) });
    const result = await inspect(`postgres://u:x@127.0.0.1:${await targets.open(server)}/x`);
    expect(result.issues).toMatchObject([
      { symptom: 'erroring', title: 'does not answer as a PostgreSQL does (NOT_POSTGRES)' },
    ]);
    expect(JSON.stringify(result)).not.toMatch(/TypeError|undefined|null \(reading/);
  });

  test.each(['EMFILE', 'ECONNREFUSED', 'NOT_A_STATE', '', '28P01x'])(
    'refuses with %j in the place of an SQLSTATE',
    async (state) => {
      const fields = `SFATAL\0C${state}\0M\u001b[2Jpassword hunter2\0\0`;
      const { server } = hostilePostgres({ greeting: pgMessage('E', Buffer.from(fields)) });
      const port = await targets.open(server);
      const result = await inspect(`postgres://u:hunter2@127.0.0.1:${port}/x`);
      expect(result).toMatchObject({ status: 'failed', issues: [{ symptom: 'erroring' }] });
      expect(result.issues[0]?.title).toContain('(NOT_POSTGRES)');
      expect(JSON.stringify(result)).not.toMatch(/hunter2|\\u001b/);
    },
  );

  test('shows what its rows say without control characters and its own password', async () => {
    const names = ['version', 'standby', 'name'];
    const cell = Buffer.from('\u001b]52;c;aGk=\u0007hunter2 \u202e');
    const size = Buffer.alloc(4);
    size.writeUInt32BE(cell.length);
    const column = (name: string) =>
      Buffer.concat([
        Buffer.from(`${name}\0`),
        Buffer.alloc(6),
        Buffer.from([0, 0, 0, 25]),
        Buffer.alloc(8),
      ]);
    const count = Buffer.from([0, names.length]);
    const answer = Buffer.concat([
      pgMessage('T', Buffer.concat([count, ...names.map(column)])),
      pgMessage('D', Buffer.concat([count, ...names.flatMap(() => [size, cell])])),
      pgMessage('C', Buffer.from('SELECT 1\0')),
      pgMessage('Z', Buffer.from('I')),
    ]);
    const { server } = hostilePostgres({ greeting: signedIn, answer });
    const port = await targets.open(server);
    const { measurements } = await inspect(`postgres://u:hunter2@127.0.0.1:${port}/x`);
    expect(measurements).toMatchObject({
      version: ']52;c;aGk= ***',
      clients: [{ name: ']52;c;aGk= ***' }],
    });
  });

  test('asks for a password that others could read', async () => {
    const { server, received } = hostilePostgres({ greeting: askCleartext });
    const port = await targets.open(server);
    expect(await inspect(`postgres://u:hunter2@127.0.0.1:${port}/x`)).toMatchObject({
      status: 'failed',
      issues: [{ kind: 'auth', title: expect.stringContaining('(UNSAFE_PASSWORD)') as unknown }],
    });
    expect(received()).not.toContain('hunter2');
  });

  test.each([
    ['without a password as SCRAM', 'u@', { greeting: askScram, answer: SCRAM_FIRST }],
    ['without a password in clear', 'u@', { greeting: askCleartext }],
    ['without a user', '', { greeting: NO_ROLE }],
  ])('wants a credential that its endpoint, %s, does not have', async (_, user, bytes) => {
    const port = await targets.open(hostilePostgres(bytes).server);
    const looked = inspect(`postgres://${user}127.0.0.1:${port}/x`);
    await expect(looked).rejects.toMatchObject({ failure: 'refused' });
  });

  test.each([
    [
      'refuses the password',
      refusalBytes('28P01', 'wrong password'),
      'refuses the credential of SOURCES_FILE: "wrong password" (28P01)',
    ],
    [
      'refuses the user',
      refusalBytes('28000', 'no entry'),
      'refuses the credential of SOURCES_FILE: "no entry" (28000)',
    ],
    [
      'asks for a password that others could read',
      askCleartext,
      'asks for a password that others could read, and got none (UNSAFE_PASSWORD)',
    ],
  ])('that is listed and %s may not be looked at', async (_, greeting, reason) => {
    const port = await targets.open(hostilePostgres({ greeting }).server);
    const node = { ...nodeOf('postgres'), in: { pg: '*' } };
    const access = {
      source: 'pg',
      endpoint: `postgres://127.0.0.1:${port}/x`,
      user: 'u',
      password: 'hunter2',
    };
    const sources = { accessOf: () => Promise.resolve(access) } as unknown as SourceSet;
    const looked = postgresInspect.run({ node: 'target' }, { ...contextOf(node), sources });
    await expect(looked).rejects.toMatchObject({
      failure: 'refused',
      message: expect.stringMatching(/^source pg: 127/) as unknown,
    });
    await expect(looked).rejects.toThrow(reason);
  });

  test.each([
    ['55000', 'database "shop" is not accepting connections', 'config'],
    ['53400', 'configuration limit exceeded', undefined],
  ])('runs, and refuses with %s: its own words are shown', async (state, words, kind) => {
    const port = await targets.open(
      hostilePostgres({ greeting: refusalBytes(state, words) }).server,
    );
    const { issues } = await inspect(`postgres://u:x@127.0.0.1:${port}/x`);
    expect(issues).toMatchObject([{ symptom: 'erroring', ...(kind && { kind }) }]);
    expect(`${issues[0]?.title} ${issues[0]?.detail}`).toContain(words);
    expect(JSON.stringify(issues)).toMatch(/The server runs/);
  });

  test.each(['the database system is starting up', 'the database system is in recovery mode'])(
    'refuses clients because %s, and says what to look at',
    async (words) => {
      const { server } = hostilePostgres({ greeting: refusalBytes('57P03', words) });
      const { issues } = await inspect(`postgres://u:x@127.0.0.1:${await targets.open(server)}/x`);
      expect(issues).toMatchObject([{ symptom: 'erroring', steps: 'restarting-database' }]);
    },
  );

  test('refuses the password of its endpoint, which is a part of the system', async () => {
    const greeting = pgMessage('E', Buffer.from('SFATAL\0C28P01\0Mwrong password\0\0'));
    const port = await targets.open(hostilePostgres({ greeting }).server);
    expect(await inspect(`postgres://u:x@127.0.0.1:${port}/x`)).toMatchObject({
      issues: [{ kind: 'auth', title: 'refuses the user or the password (28P01)' }],
    });
  });

  test.each([
    ['trustSelfSigned', true],
    ['ca', testCa()],
  ])('is listed, and not trusted because of %s of a node', async (name, value) => {
    const { server, received } = hostilePostgres({ greeting: askCleartext });
    const port = await targets.open(server);
    const node = { ...nodeOf('postgres', undefined, { [name]: value }), in: { pg: 'x' } };
    const access = {
      source: 'pg',
      endpoint: `postgres://127.0.0.1:${port}/x`,
      selector: 'x',
      tls: {},
      user: 'monitor',
      password: 'hunter2',
    };
    const sources = { accessOf: () => Promise.resolve(access) } as unknown as SourceSet;
    const looked = postgresInspect.run({ node: 'target' }, { ...contextOf(node), sources });
    await expect(looked).rejects.toMatchObject({
      failure: 'failed',
      message: expect.stringContaining(
        'its certificate is signed by an authority that is not trusted: name it in `ca`',
      ) as unknown,
    });
    expect(received()).toBe('');
  });
});
