import { expect, test } from '@jest/globals';
import { misspeltVariables } from './misspelt-variables.js';
import { VARIABLES } from './variables.js';

const meantBy = (name: string) => misspeltVariables({ [name]: 'x' }).map(({ meant }) => meant);

test.each([
  ['MONTLY_MESSAGES', 'MONTHLY_MESSAGES'],
  ['REDIS_URI', 'REDIS_URL'],
  ['RETENTION_DAY', 'RETENTION_DAYS'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['ORACLE_CONCURENCY', 'ORACLE_CONCURRENCY'],
  ['BEHAVIORS_DIR', 'BEHAVIOURS_DIR'],
  ['PROT', 'PORT'],
  ['RLOE', 'ROLE'],
  ['TOPOLOGY_DIR', 'TOPOLOGIES_DIR'],
  ['MODELS', 'MODEL'],
  ['INCIDENT_DIR', 'INCIDENTS_DIR'],
])('suggests for %s: %s', (name, meant) => expect(meantBy(name)).toEqual([meant]));

test.each([
  'HOME',
  'PATH',
  'MODE',
  'PORTS_OPEN',
  'TERM',
  'PWD',
  'USERS',
  'NODE_ENV',
  'HOSTNAME',
  'ORACLE_HOME',
  'OPENAI_API_KEY_2',
  'LOGNAME',
  'XDG_DATA_DIRS',
  'MONTLY',
])('does not suggest a name for %s', (name) => expect(meantBy(name)).toEqual([]));

test('does not report variables of the service', () => {
  expect(misspeltVariables(Object.fromEntries(VARIABLES.map(({ name }) => [name, 'x'])))).toEqual(
    [],
  );
});
