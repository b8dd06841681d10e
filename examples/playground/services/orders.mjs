import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Trouble } from './call.mjs';
import { serve } from './serve.mjs';
import { Stomp } from './stomp.mjs';

// Orders: stores each order in PostgreSQL, and sends its receipt to the queue of the mailer. Its
// statement is a file of the repository of the shop: the fault `bad-deploy` is a commit that
// changes it.
const { DATABASE_URL, STATEMENT, STOMP_PORT } = process.env;
const statement = readFileSync(STATEMENT, 'utf8');
const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  application_name: 'orders',
  max: 5,
  connectionTimeoutMillis: 1500,
  idleTimeoutMillis: 200,
});
pool.on('error', () => {}); // each query reports it, too
const broker = STOMP_PORT === undefined ? undefined : new Stomp(Number(STOMP_PORT));

serve({
  name: 'orders',
  work: async () => {
    let stored;
    try {
      stored = await pool.query(statement, ['teapot', 1990]);
    } catch (error) {
      throw new Trouble(500, `cannot store the order: ${error.message}`);
    }
    try {
      broker?.send('receipts', `order ${stored.rows[0].id}`);
    } catch (error) {
      throw new Trouble(500, `cannot send the receipt: ${error.message}`);
    }
    return { stored: stored.rows[0].id };
  },
});
