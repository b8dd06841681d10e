import { expect, test } from '@jest/globals';
import { sceneOf, alert, line } from '../../../test/support/scenes/scene.js';
import { rankRootCauses } from '../rank-root-causes.js';
import { providerNode } from './provider-node.js';

const node = (id: string, dependsOn: string[], kind = 'workload') => ({
  id,
  name: id,
  dependsOn,
  kind,
});
const nodes = [
  node('web', ['login', 'mail']),
  node('login', ['acme-idp', 'other-idp']),
  node('mail', ['post-api']),
  node('acme-idp', [], 'external'),
  node('other-idp', [], 'external'),
  node('post-api', [], 'saas'),
];
const calls = new Map(nodes.map(({ id, dependsOn }) => [id, new Set(dependsOn)]));
const at = (says: string, speaker?: string) =>
  providerNode(
    {
      kind: 'provider-outage',
      strength: 0.85,
      says,
      ...(speaker !== undefined && { node: speaker }),
    },
    { nodes },
    calls,
  );

test.each([
  ['its name', 'status page: {"provider":"acme-idp"}', undefined, 'acme-idp'],
  ['a word of its name', 'calls to login.acme.example fail with 502', 'login', 'acme-idp'],
  ['that only it is called', 'calls to 203.0.113.9 fail', 'mail', 'post-api'],
  ['nothing, of two that are called', 'calls to 203.0.113.9 fail', 'login', undefined],
  ['another one, which the speaker does not call', 'acme-idp: 503', 'mail', 'post-api'],
])('finds the node of a provider by %s', (_, says, speaker, found) => {
  expect(at(says, speaker)).toBe(found);
});

test('puts the provider before those that call it', () => {
  const seen = sceneOf(
    'web > login > acme-idp',
    alert('web', 'LoginErrors', 'logins fail'),
    line('login', 'level=error msg="fetch https://sso.acme.example/keys: 503"'),
  );
  const rank = (kind: string) =>
    rankRootCauses(
      {
        ...seen,
        nodes: seen.nodes.map((each) => (each.id === 'acme-idp' ? { ...each, kind } : each)),
      },
      '',
    ).causes[0];
  expect(rank('external')).toMatchObject({ node: 'acme-idp', kind: 'provider-outage' });
  expect(rank('workload')).toMatchObject({ node: 'login' });
});
