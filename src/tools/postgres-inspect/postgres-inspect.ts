import { withPostgres } from '../../sources/postgres/postgres-session.js';
import { sqlInspector } from '../sql/sql-inspector.js';
import { judgePostgres } from './postgres-judgement.js';
import { readPostgres } from './postgres-read.js';
import { POSTGRES_REFUSALS, refusesCredential } from './refusals.js';

/**
 * How endpoints name a PostgreSQL.
 * @internal Exported for tests.
 */
export const POSTGRES = {
  kind: 'postgres',
  protocols: ['postgres:', 'postgresql:'],
} as const;

/** The state of a PostgreSQL. */
export const postgresInspect = sqlInspector({
  ...POSTGRES,
  tool: 'postgres_inspect',
  product: 'PostgreSQL',
  connect: withPostgres,
  read: readPostgres,
  judge: judgePostgres,
  refusals: POSTGRES_REFUSALS,
  refusesCredential,
});
