import { describe, expect, test } from '@jest/globals';
import type { SqlRow } from '../../sources/sql/sql-task.js';
import { QUERIES, readMysql } from './mysql-read.js';

const signal = new AbortController().signal;
const failure = (code: string) => Object.assign(new Error('no'), { code });

/** A session that answers what is given for the text, and fails with a code. */
async function read(answerTo: (text: string) => SqlRow[] | string) {
  const asked: string[] = [];
  const query = (text: string) => {
    asked.push(text);
    const answer = answerTo(text);
    return typeof answer === 'string' ? Promise.reject(failure(answer)) : Promise.resolve(answer);
  };
  const session = { query, count: () => asked.length };
  const clean = (text: string) => text.replaceAll('secret', '***');
  return { reading: await readMysql(session, { clean, signal, intervalMs: 0 }), asked };
}

test('reads its counters twice, and everything else once', async () => {
  let n = 0;
  const { reading } = await read((text) =>
    text.startsWith('show global status')
      ? [
          { Variable_name: 'Slow_queries', Value: String((n += 1)) },
          { Variable_name: 'x', Value: 'ON' },
        ]
      : [{ Variable_name: 'version', Value: '8.4 secret', USER: 'secret' }],
  );
  expect(reading.status).toEqual([{ slow_queries: 1 }, { slow_queries: 2 }]);
  expect(reading.variables).toEqual({ version: '8.4 ***' });
  expect(reading.rows.clients).toEqual([
    { variable_name: 'version', value: '8.4 ***', user: '***' },
  ]);
  expect(reading).toMatchObject({ refused: [], slow: [], queries: 10 });
});

describe('a query that fails', () => {
  const [mysql, mariadb] = QUERIES.waits;

  test('is asked in its other form, if the server does not know the first', async () => {
    const { reading, asked } = await read((text) => (text === mysql ? '1146' : []));
    expect(reading.refused).toEqual([]);
    expect(asked).toContain(mariadb);
  });

  test('is refused in all its forms', async () => {
    const { reading } = await read((text) => (text.includes('lock_waits') ? '1146' : []));
    expect(reading).toMatchObject({ refused: ['waits'], forbidden: [] });
  });

  test('is forbidden in the form that the server knows', async () => {
    const { reading } = await read((text) =>
      text === mysql ? '1142' : text === mariadb ? '1109' : [],
    );
    expect(reading).toMatchObject({ refused: [], forbidden: ['waits'] });
  });

  test.each(['1142', '1146', '1969'])(
    'about statements is no sign of a failure: %s',
    async (code) => {
      const { reading } = await read((text) => (text.includes('by_digest') ? code : []));
      expect(reading).toMatchObject({
        refused: [],
        forbidden: [],
        slow: [],
        rows: { statements: [] },
      });
    },
  );

  test.each(['1969', '3024', '1205'])('was too slow (%s)', async (code) => {
    const { reading } = await read((text) => (text.includes('trx_started') ? code : []));
    expect(reading).toMatchObject({ slow: ['transactions'], refused: [] });
  });

  test('ends the reading where the server is gone', async () => {
    await expect(read(() => 'ECONNRESET')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
