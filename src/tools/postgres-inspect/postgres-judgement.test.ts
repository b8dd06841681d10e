import { describe, expect, test } from '@jest/globals';
import { judgePostgres } from './postgres-judgement.js';
import type { SqlRow } from '../../sources/sql/sql-task.js';
import type { PostgresReading, PostgresQueryName } from './postgres-read.js';

const THRESHOLDS = { connectionsPercent: 80, slowMs: 1_000 };
const WELL: Partial<Record<PostgresQueryName, SqlRow[]>> = {
  server: [{ version: '15.18', standby: false, uptime_s: 100, monitor: true, autovacuum: true }],
  connections: [{ most: 97, used: 12, active: 2, idle_in_transaction: 0 }],
  clients: [{ name: 'shop', used: 12 }],
};
const judge = (
  rows: Partial<Record<PostgresQueryName, SqlRow[]>> = {},
  more: Partial<PostgresReading> = {},
  owns: (database: string) => boolean = () => true,
) =>
  judgePostgres(
    {
      rows: { ...WELL, ...rows },
      forbidden: [],
      refused: [],
      slow: [],
      answerMs: 5,
      queries: 14,
      ...more,
    },
    THRESHOLDS,
    owns,
  );
const shown = (rows: Partial<Record<PostgresQueryName, SqlRow[]>>) =>
  judge(rows).issues.map(({ severity, title }) => `${severity}: ${title}`);

test('a server that is well has no issues', () => {
  const { issues, measurements } = judge();
  expect(issues).toEqual([]);
  expect(measurements).toMatchObject({ version: '15.18', connections_percent: 12.4, queries: 14 });
});

test('the name of a replication slot chooses no kind of failure', () => {
  const slots = [{ name: 'disk', active: false, status: 'lost', retained: 0 }];
  expect(judge({ slots }).issues).toMatchObject([{ kind: 'infrastructure' }]);
});

test('an issue that tells more than its kind names its steps, and the part that it is about', () => {
  const slots = [{ name: 'old', active: false, status: 'reserved', retained: 3 * 2 ** 30 }];
  const transactions = [{ pid: 7, state: 'idle in transaction', xact_s: 300, state_s: 200 }];
  const waiting = [
    { pid: 1, blockers: [], state: 'active', waited_s: 90, xact_s: 95 },
    { pid: 2, blockers: [1], state: 'active', waited_s: 40 },
  ];
  const { issues } = judge({ slots, transactions, waiting, server: [{ autovacuum: false }] });
  expect(issues.map(({ kind, steps, part }) => [kind, steps, part])).toEqual([
    ['lock', undefined, '1'],
    ['lock', 'idle-transaction', '7'],
    ['disk-full', 'replication-slot', 'old'],
    ['config', 'autovacuum-off', undefined],
  ]);
});

describe('finds', () => {
  test.each<[string, Partial<Record<PostgresQueryName, SqlRow[]>>, string[]]>([
    ['autovacuum that is off', { server: [{ autovacuum: false }] }, ['warning: autovacuum is off']],
    [
      'few free connections',
      { connections: [{ most: 100, used: 90 }] },
      ['warning: 90 of 100 connections are in use'],
    ],
    [
      'no free connection',
      { connections: [{ most: 100, used: 100 }] },
      ['critical: 100 of 100 connections are in use'],
    ],
    [
      'a long wait for a lock',
      {
        waiting: [
          { pid: 1, blockers: [], state: 'idle in transaction', waited_s: 90, xact_s: 95 },
          { pid: 2, blockers: [1], state: 'active', waited_s: 40 },
        ],
      },
      ['critical: one session waits for locks of session 1, which is idle in transaction'],
    ],
    [
      'a long wait for a lock of a session whose state is hidden',
      {
        waiting: [
          { pid: 1, blockers: [], state: null, application: 'checkout' },
          { pid: 2, blockers: [1], state: null, waited_s: 40 },
        ],
      },
      ['critical: one session waits for locks of session 1'],
    ],
    [
      'a wait of a moment',
      {
        waiting: [
          { pid: 1, blockers: [] },
          { pid: 2, blockers: [1], waited_s: 2 },
        ],
      },
      [],
    ],
    [
      'long and idle transactions',
      {
        transactions: [
          { pid: 7, application: 'job', state: 'idle in transaction', xact_s: 300, state_s: 200 },
          { pid: 8, application: 'report', state: 'active', xact_s: 150, state_s: 1 },
          { application: 'new', state: 'active', xact_s: 70, state_s: 1 },
        ],
      },
      [
        'warning: session 7 (job) has been idle in a transaction for 200 s',
        'warning: a transaction of session 8 (report) has run for 150 s',
      ],
    ],
    [
      'slots and replicas',
      {
        slots: [
          { name: 'lost', active: false, status: 'lost', retained: 0 },
          { name: 'old', active: false, status: 'reserved', retained: 3 * 2 ** 30 },
          { name: 'used', active: true, status: 'reserved', retained: 3 * 2 ** 30 },
        ],
        replicas: [
          { name: 'b', lag_s: 40 },
          { name: 'c', lag_s: null },
        ],
      },
      [
        'critical: replication slot lost is lost',
        'warning: replication slot old is not used and keeps 3 GiB',
        'warning: replica b is 40 s behind',
      ],
    ],
    [
      'storage',
      {
        wraparound: [
          { name: 'shop', age: 1_600_000_000, mxid_age: 1 },
          { name: 'x', age: 1 },
        ],
        indexes: [{ name: 'i', of: 't' }],
        archiver: [{ failed_count: 3, failing: true, last_failed_wal: 'W' }],
        tables: [{ name: 't', live: 10, dead: 20_000, last_autovacuum: null }],
      },
      [
        'critical: database shop has transactions of age 1600 million that are not frozen',
        'warning: index i is invalid',
        'warning: the write-ahead log cannot be archived',
        'info: table t has 20000 dead rows',
      ],
    ],
  ])('%s', (_, rows, expected) => expect(shown(rows)).toEqual(expected));

  test('queries that were ended, and what the user may not see', () => {
    const { issues } = judge({}, { slow: ['tables'], refused: ['archiver'] });
    expect(issues.map(({ severity, detail }) => [severity, detail])).toEqual([
      ['warning', 'tables: a server that is well answers them in milliseconds.'],
      ['info', 'Not answered: archiver.'],
    ]);
  });
});

test('a statement in a finding has no values', () => {
  const transactions = [
    { application: 'a', state: 'active', xact_s: 500, query: "select 'hunter2'" },
  ];
  expect(JSON.stringify(judge({ transactions }))).not.toContain('hunter2');
});

test('leaves locks and transactions of a database to the node that has it', () => {
  const of = (database: string) => ({
    waiting: [
      { pid: 1, blockers: [], database: 'postgres' },
      { pid: 2, blockers: [1], state: 'active', waited_s: 40, database },
    ],
    transactions: [{ state: 'active', xact_s: 400, database }],
    wraparound: [{ name: database, age: 1_600_000_000 }],
  });
  const issuesOf = (database: string) =>
    judge(of(database), {}, (name) => name !== 'payments').issues.length;
  expect([issuesOf('shop'), issuesOf('payments')]).toEqual([3, 0]);
});
