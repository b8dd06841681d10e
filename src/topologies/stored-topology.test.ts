import { expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY } from '../../test/support/models/agent-session.js';
import { cardOf, locationOf, showTopology, showUnstored, withoutMeta } from './stored-topology.js';

const [web, ...others] = SMALL_TOPOLOGY.nodes;
if (!web) throw new Error('no node');
const secret = {
  ...SMALL_TOPOLOGY,
  nodes: [{ ...web, endpoint: 'http://me:pass@web.example/' }, ...others],
};
const meta = { version: 3, createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-02T00:00:00Z' };
const stored = { topology: secret, tenant: 'default', owner: 'anonymous', ...meta };

it('is shown with its version and without passwords, its tenant and its owner', async () => {
  const shown = await showTopology(stored);
  expect(shown).toMatchObject({ id: 7, ...meta });
  expect(JSON.stringify([shown, await showUnstored(secret)])).not.toContain('pass');
  expect(shown).not.toHaveProperty('owner');
  expect(shown).not.toHaveProperty('tenant');
});

it('may be sent back with the fields that the service has added', () => {
  const { nodes, ...rest } = SMALL_TOPOLOGY;
  expect(withoutMeta({ ...rest, nodes, ...meta, warnings: [] })).toEqual(SMALL_TOPOLOGY);
});

it.each([null, 'text', 7, [1], undefined])('leaves a body alone that is no object: %j', (body) => {
  expect(withoutMeta(body)).toBe(body);
});

it('has a card with its counts, and without credentials in its texts', () => {
  const description = 'See https://me:pass@wiki.example/shop';
  expect(cardOf(SMALL_TOPOLOGY)).toEqual({
    id: 7,
    name: 'Small',
    description: null,
    nodeCount: 3,
    teamCount: 1,
    agentCount: 4,
  });
  expect(cardOf({ ...SMALL_TOPOLOGY, description }).description).not.toContain('pass');
});

it.each(['/topologies', '/topologies/', '/topologies?dryRun=false', '/topologies//?a=/b'])(
  'is located below the path of its request: %s',
  (url) => expect(locationOf(url, stored)).toBe('/topologies/7'),
);
