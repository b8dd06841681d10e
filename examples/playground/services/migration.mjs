import pg from 'pg';
import { dieWithParent } from './die-with-parent.mjs';

// A migration that waits for a confirmation in its transaction, with the table locked, and a second
// one behind it: the fault `lock-chain`.
dieWithParent();
const open = async (name) => {
  const { DATABASE_URL: connectionString } = process.env;
  const client = new pg.Client({ connectionString, application_name: name });
  client.on('error', () => {});
  await client.connect();
  return client;
};

const first = await open('migration');
await first.query('begin');
await first.query('alter table orders add column note text');
const second = await open('index-builder');
second.query('create index on orders (item)').catch(() => {});
process.send?.({ listening: 0 });
