import { NO_PASSWORD, NO_TLS, UNSAFE_PASSWORD } from '../../sources/sql/sql-task.js';
import {
  CERTIFICATE_REFUSALS,
  NOT_OFFERED,
  type SqlRefusal,
  type SqlRefusals,
  unsafePassword,
} from '../sql/sql-refusal.js';

const CREDENTIALS: SqlRefusal = {
  symptom: 'invalid',
  kind: 'auth',
  title: 'refuses the user or the password',
  advice: 'The credential is wrong or was changed, or pg_hba.conf does not let it in.',
};

/**
 * By SQLSTATE, or by the code of `withPostgres`:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export const POSTGRES_REFUSALS: SqlRefusals = {
  NOT_POSTGRES: {
    symptom: 'erroring',
    kind: 'wrong-address',
    title: 'does not answer as a PostgreSQL does',
    advice: 'Something else listens there, or its answers are broken or too large.',
  },
  ...CERTIFICATE_REFUSALS,
  [NO_TLS]: NOT_OFFERED,
  UNSAFE_PASSWORD: unsafePassword('SCRAM (password_encryption), or '),
  '53300': {
    symptom: 'saturated',
    kind: 'connection-pool-exhausted',
    title: 'all its connections are in use',
    advice:
      'It refuses new clients, also this one: max_connections is reached, or the limit of the database.',
  },
  '28P01': CREDENTIALS,
  '28000': CREDENTIALS,
  '42501': {
    symptom: 'invalid',
    kind: 'auth',
    title: 'does not let the user connect to the database',
    advice: 'The role lacks the privilege CONNECT.',
  },
  '3D000': {
    symptom: 'invalid',
    kind: 'config',
    steps: 'no-database',
    title: 'has no such database',
    advice:
      'The name of the database is wrong where it is set (the endpoint, SOURCES_FILE or `in`), or the database was dropped.',
  },
  '55000': {
    symptom: 'erroring',
    kind: 'config',
    title: 'accepts no connections to the database',
    advice: 'The server runs. An administrator has closed the database (allow_connections).',
  },
  '57P03': {
    symptom: 'erroring',
    steps: 'restarting-database',
    title: 'is starting, stopping or recovering',
    advice: 'It accepts no connections yet, or no more.',
  },
  '57P01': {
    symptom: 'erroring',
    steps: 'restarting-database',
    title: 'ended the connection: it is shut down',
    advice: 'An administrator stops it.',
  },
  '53200': {
    symptom: 'saturated',
    kind: 'out-of-memory',
    title: 'is out of memory',
    advice: 'It could not answer.',
  },
  '53100': {
    symptom: 'saturated',
    kind: 'disk-full',
    title: 'has no space left on its disk',
    advice: 'It could not answer.',
  },
};

/**
 * Whether the server does not accept the credential: class 28, no right to connect, no password, or
 * one that it would leak.
 */
export const refusesCredential = (code: string): boolean =>
  code.startsWith('28') || ['42501', NO_PASSWORD, UNSAFE_PASSWORD].includes(code);
