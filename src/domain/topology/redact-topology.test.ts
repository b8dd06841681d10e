import { expect, it } from '@jest/globals';
import { redactedAttributes, redactTopology } from './redact-topology.js';
import { restoreRedacted } from './restore-redacted.js';
import type { Topology } from './topology.js';
import { allAtOnce } from '../../lib/steps.js';

const restored = (given: unknown, before: Topology) => allAtOnce(restoreRedacted(given, before));

const stored: Topology = {
  id: 1,
  name: 'Shop',
  nodes: [
    {
      ...{ id: 'a', name: 'A', kind: 'service', dependsOn: [], endpoint: 'http://t0ken@h/' },
      attributes: { apiToken: 'one', headers: { authorization: 'two' }, team: 'three' },
    },
  ],
  globalSupervisor: { agentId: '1', name: 'G' },
  teams: [],
};
const shown = () => redactTopology(JSON.parse(JSON.stringify(stored)) as never) as Topology;

it('shows no value of an attribute that names a secret', () => {
  expect(shown().nodes[0]).toMatchObject({
    endpoint: 'http://***@h/',
    attributes: { apiToken: '***', headers: { authorization: '***' }, team: 'three' },
  });
});

it('keeps the values of a node that is sent back unchanged', () => {
  expect(restored(shown(), stored)).toEqual(stored);
});

it('names what is lost when a node is sent back with a change', () => {
  const edited = shown();
  Object.assign(edited.nodes[0] ?? {}, { name: 'B' });
  const back = restored(edited, stored) as Topology;
  expect(back).toEqual(edited);
  expect(redactedAttributes(back).map(({ path }) => path)).toEqual([
    'nodes[0].attributes.apiToken',
    'nodes[0].attributes.headers.authorization',
  ]);
  expect(redactedAttributes(stored)).toEqual([]);
});
