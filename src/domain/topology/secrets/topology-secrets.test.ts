import { expect, it } from '@jest/globals';
import type { JsonObject } from '../../../lib/json.js';
import { secretsOfTopology } from './topology-secrets.js';

const node = (endpoint: string | undefined, attributes: JsonObject = {}) => ({
  id: 'cache',
  name: 'The cache',
  kind: 'redis',
  dependsOn: [],
  attributes,
  ...(endpoint !== undefined && { endpoint }),
});
const of = (...nodes: ReturnType<typeof node>[]) => secretsOfTopology({ nodes });

it.each([
  ['redis://:hunter2@h:1', ['hunter2']],
  ['redis://user:p%40ss@h', ['p%40ss', 'p@ss']],
  ['redis://user@h', []],
  ['https://token@h/x', ['token']],
  ['http://h/?api_key=k1&x=2&password=p', ['k1', 'p']],
  ['http://h:80/a@b', []],
  ['h:80', []],
  ['redis://:cache@h', []],
  ['http://a:%ff@h', ['%ff']],
])('finds those of %s', (endpoint, secrets) => {
  expect(of(node(endpoint))).toEqual(secrets);
});

it('finds those of attributes, at any depth', () => {
  const attributes = {
    apiToken: 'one',
    replica: 'redis://:two@r',
    headers: { authorization: 'three', accept: 'text/plain' },
    list: ['http://u:four@h'],
    slowMs: 5,
  };
  expect(of(node(undefined, attributes))).toEqual(['one', 'two', 'three', 'four']);
});
