import { NO_TLS } from '../../sources/sql/sql-task.js';
import {
  CERTIFICATE_REFUSALS,
  NOT_OFFERED,
  type SqlRefusal,
  type SqlRefusals,
  unsafePassword,
} from '../sql/sql-refusal.js';

const FULL: SqlRefusal = {
  symptom: 'saturated',
  kind: 'connection-pool-exhausted',
  title: 'all its connections are in use',
  advice: 'It refuses new clients, also this one: max_connections is reached.',
};
const CREDENTIALS: SqlRefusal = {
  symptom: 'invalid',
  kind: 'auth',
  title: 'refuses the user or the password',
  advice: 'The credential is wrong or was changed, or the user may not sign in from this host.',
};
const ACCOUNT: SqlRefusal = {
  symptom: 'invalid',
  kind: 'auth',
  title: 'has locked the account, or its password has expired',
  advice: 'ALTER USER unlocks it or sets a new password.',
};
const MEMORY: SqlRefusal = {
  symptom: 'saturated',
  kind: 'out-of-memory',
  title: 'is out of memory',
  advice: 'It could not answer.',
};

/**
 * By the number of the error, or by the code of `withMysql`:
 * https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html
 */
export const MYSQL_REFUSALS: SqlRefusals = {
  NOT_MYSQL: {
    symptom: 'erroring',
    kind: 'wrong-address',
    title: 'does not answer as a MySQL does',
    advice: 'Something else listens there, or its answers are broken or too large.',
  },
  ...CERTIFICATE_REFUSALS,
  [NO_TLS]: NOT_OFFERED,
  UNSAFE_PASSWORD: unsafePassword(''),
  '1040': FULL,
  '1045': CREDENTIALS,
  '1130': CREDENTIALS,
  '1698': CREDENTIALS,
  '1820': ACCOUNT,
  '1862': ACCOUNT,
  '3118': ACCOUNT,
  '4151': ACCOUNT,
  '3159': {
    symptom: 'invalid',
    kind: 'auth',
    title: 'accepts only connections with TLS',
    advice: 'require_secure_transport is on.',
  },
  '1129': {
    symptom: 'invalid',
    kind: 'config',
    steps: 'blocked-host',
    title: 'has blocked this host after failed connections',
    advice:
      'Connections from this host broke before they were complete, more often than max_connect_errors allows. Other hosts are let in.',
  },
  '1047': {
    symptom: 'erroring',
    kind: 'infrastructure',
    title: 'is not ready to answer queries',
    advice: 'A node of a Galera cluster returns this without a primary component.',
  },
  '1053': {
    symptom: 'erroring',
    steps: 'restarting-database',
    title: 'is shutting down',
    advice: 'An administrator stops it.',
  },
  '1037': MEMORY,
  '1038': MEMORY,
  '1041': MEMORY,
  '1021': {
    symptom: 'saturated',
    kind: 'disk-full',
    title: 'has no space left on its disk',
    advice: 'It could not answer.',
  },
};
