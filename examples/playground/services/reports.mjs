import pg from 'pg';
import { dieWithParent } from './die-with-parent.mjs';

// Reports that open a connection to the database for each page and close none: the fault
// `pool-exhausted`.
dieWithParent();
const held = [];

async function open() {
  const client = new pg.Client({
    connectionString: process.env.DATABASE_URL,
    application_name: 'reports',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    held.push(client);
  } catch {
    await client.end().catch(() => {});
  }
}

setInterval(open, 50);
process.send?.({ listening: 0 });
