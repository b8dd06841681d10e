import { describe, expect, test } from '@jest/globals';
import type { SqlRow } from '../../sources/sql/sql-task.js';
import { judgeMysql } from './mysql-judgement.js';
import type { MysqlReading } from './mysql-read.js';

const THRESHOLDS = { connectionsPercent: 80, slowMs: 1_000 };
const WELL = { threads_connected: 12, threads_running: 2, uptime: 100, open_files: 30 };
const VARIABLES = {
  version: '10.11.19-MariaDB',
  max_connections: '100',
  open_files_limit: '1000',
  read_only: 'OFF',
  long_query_time: '10.0',
};
const YES = { slave_io_running: 'Yes', slave_sql_running: 'Yes', seconds_behind_master: 0 };

interface Given {
  rows?: MysqlReading['rows'];
  status?: Record<string, number>;
  more?: Partial<MysqlReading>;
  owns?: (database: string) => boolean;
}

const judge = ({ rows = {}, status = {}, more, owns = () => true }: Given = {}) =>
  judgeMysql(
    {
      variables: VARIABLES,
      status: [WELL, { ...WELL, ...status }],
      rows,
      forbidden: [],
      refused: [],
      slow: [],
      answerMs: 5,
      queries: 10,
      ...more,
    },
    THRESHOLDS,
    owns,
  );
const shown = (given: Given) =>
  judge(given).issues.map(({ severity, title }) => `${severity}: ${title}`);

test('at most five clients are shown, whatever number of rows a server answers with', () => {
  const clients = Array.from({ length: 100 }, (_, used) => ({ name: "'".repeat(500), used }));
  const { measurements, issues } = judge({ status: { threads_connected: 90 }, rows: { clients } });
  expect(measurements['clients']).toEqual(
    [0, 1, 2, 3, 4].map((used) => ({ name: "'".repeat(200), used })),
  );
  expect(issues[0]?.detail.length).toBeLessThan(1_500);
});

test('a server that is well has no issues', () => {
  const { issues, measurements } = judge({ rows: { replicas: [YES] } });
  expect(issues).toEqual([]);
  expect(measurements).toMatchObject({
    version: '10.11.19-MariaDB',
    connections_percent: 12,
    running: 2,
    queries: 10,
  });
});

describe('finds', () => {
  test.each<[string, Given, string[]]>([
    [
      'connections near their limit',
      { status: { threads_connected: 90 }, rows: { clients: [{ name: 'shop', used: 80 }] } },
      ['warning: 90 of 100 connections are in use'],
    ],
    [
      'clients that are turned away',
      { status: { connection_errors_max_connections: 3 } },
      ['critical: refuses clients: all 100 connections are in use'],
    ],
    [
      'open files near their limit',
      { status: { open_files: 800 } },
      ['warning: 800 of 1000 files are open'],
    ],
    [
      'slow queries, and pages that are read from the disk',
      {
        status: {
          slow_queries: 2,
          innodb_buffer_pool_read_requests: 5_000,
          innodb_buffer_pool_reads: 400,
        },
      },
      [
        'info: 2 slow queries ended between two readings',
        'info: 8 % of its pages are read from the disk',
      ],
    ],
    [
      'versions that are kept',
      { rows: { history: [{ versions: 60_000 }] } },
      ['warning: old versions of 60000 transactions are kept'],
    ],
    [
      'a replica that is stopped, of either vocabulary',
      {
        rows: {
          replicas: [
            { ...YES, slave_io_running: 'Connecting', connection_name: 'eu' },
            { replica_io_running: 'Yes', replica_sql_running: 'No', last_sql_error: 'Duplicate' },
          ],
        },
      },
      [
        'critical: replication eu does not run: its source is not read',
        'critical: replication does not run: what was read is not applied',
      ],
    ],
    [
      'a replica that is behind',
      { rows: { replicas: [{ ...YES, seconds_behind_master: 90 }] } },
      ['warning: replication is 90 s behind'],
    ],
    [
      'sessions that wait for a table',
      { rows: { metadata: [{ database: 'shop', sessions: 7, longest_s: 45 }] } },
      ['critical: 7 sessions wait for the metadata of a table'],
    ],
    [
      'a transaction that is idle',
      {
        rows: { transactions: [{ pid: 7, state: 'idle in transaction', state_s: 90, xact_s: 95 }] },
      },
      ['warning: session 7 has been idle in a transaction for 90 s'],
    ],
    [
      'what it may not see, and what took too long',
      { more: { forbidden: ['replicas'], slow: ['transactions'] } },
      [
        'warning: 1 queries about its state were ended by their time limit',
        'info: may be looked into only in part',
      ],
    ],
  ])('%s', (_, given, titles) => expect(shown(given)).toEqual(titles));

  test('many statements at once, if there were as many a second ago', () => {
    expect(shown({ status: { threads_running: 70 } })).toEqual([]);
    const running = { ...WELL, threads_running: 70 };
    expect(shown({ more: { status: [running, running] } })).toEqual([
      'warning: 70 of 100 connections run a statement at the same time',
    ]);
  });
});

describe('a chain of locks', () => {
  const transactions: SqlRow[] = [
    { pid: 3, waited_s: 40, query: `update t set a = "hunter2"`, database: 'shop' },
    { pid: 2, waited_s: 35, database: 'shop' },
    { pid: 1, state: 'idle in transaction' },
  ];
  const waits: SqlRow[] = [
    { pid: 3, blocker: 2 },
    { pid: 2, blocker: 1 },
  ];

  test('is led to its root, and shown without values', () => {
    const result = judge({ rows: { transactions, waits } });
    expect(result.issues).toMatchObject([
      {
        severity: 'critical',
        kind: 'lock',
        title: '2 sessions wait for locks of session 1, which is idle in transaction',
      },
    ]);
    expect(result.measurements['lock_chain']).toMatchObject([
      { pid: 1, waiting: [{ pid: 3 }, { pid: 2 }] },
    ]);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  test('belongs to the node that has the database', () => {
    expect(shown({ rows: { transactions, waits }, owns: (name) => name !== 'shop' })).toEqual([]);
  });
});

test.each([
  [
    'has no source',
    [],
    ['warning: refuses writes: read_only is on, although it replicates from no server'],
  ],
  ['is a replica', [YES], []],
  ['does not show its replication', undefined, []],
])('a server that is read-only and %s', (_, replicas, expected) => {
  const variables = { ...VARIABLES, read_only: 'ON' };
  const rows = replicas === undefined ? {} : { replicas };
  expect(shown({ rows, more: { variables } })).toEqual(expected);
});
