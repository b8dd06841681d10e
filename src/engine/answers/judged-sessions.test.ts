import { expect, test } from '@jest/globals';
import { answerOf, firstOf, found } from '../../../test/support/sources/recorded-answers.js';

test('the session that is idle in a transaction holds the lock', () => {
  const sessions = `  pid |  usename | state               | wait_event_type | xact_age | query
------+----------+---------------------+-----------------+----------+------
  417 | amelie   | idle in transaction | Client          | 00:41:07 | UPDATE stock SET n = 1
  502 | app      | active              | Lock            | 00:00:21 | UPDATE stock SET n = $1
(2 rows)
`;
  const limit = ` max_connections
-----------------
 100
(1 row)
`;
  const lines = found(
    'writes hang',
    answerOf('postgres_query', sessions),
    answerOf('postgres_query', limit),
  );
  expect(lines.map(({ kind }) => kind)).toEqual(['lock']);
  expect(lines[0]?.text).toMatch(
    /^Session 417 \(amelie\) is idle in transaction for 00:41:07, and one session waits/,
  );
});

test('as many connections as the server allows leave none', () => {
  const counts = ` state  | count
--------+-------
 idle   |    88
 active |    11
(2 rows)
`;
  const limit = ` max_connections
-----------------
 100
(1 row)
`;
  expect(
    firstOf('?', answerOf('postgres_query', counts), answerOf('postgres_query', limit)),
  ).toMatchObject({
    kind: 'connection-pool-exhausted',
    text: '99 of 100 connections are in use (max_connections)',
  });
});

test('a metadata lock of MySQL', () => {
  const sessions = `+----+------+------+---------+------+---------------------------------+----------------------+
| Id | User | Host | Command | Time | State                           | Info                 |
+----+------+------+---------+------+---------------------------------+----------------------+
|  9 | app  | web1 | Query   |   88 | Waiting for table metadata lock | ALTER TABLE cart ... |
+----+------+------+---------+------+---------------------------------+----------------------+
`;
  expect(firstOf('?', answerOf('mysql_query', sessions))).toMatchObject({ kind: 'lock' });
});

test('one partition that is behind, and the record that stops its reader', () => {
  const group = `GROUP  TOPIC   PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG    CONSUMER-ID  HOST
mail   orders  0          500             501             1      mail-1       /10.0.0.7
mail   orders  1          731             9731            9000   mail-2       /10.0.0.8
`;
  const behind = firstOf('is mail behind?', answerOf('kafka_describe_consumer_group', group));
  expect(behind).toMatchObject({ kind: 'queue-lag' });
  expect(behind?.text).toContain(
    '9000 records behind in partition 1 of orders, the only one of 2: it has read to offset 731',
  );
  const error =
    'ERROR Error deserializing key/value for partition orders-1 at offset 731. If needed, please seek past the record to continue consumption.';
  const stopped = firstOf(
    'is mail behind?',
    answerOf('kafka_describe_consumer_group', group),
    answerOf('fetch_pod_logs', error),
  );
  expect(stopped).toMatchObject({ kind: 'bad-data' });
});
