import { describe, expect, it } from '@jest/globals';
import { inlineSecrets, redactedAttributes, redactTopology } from './redact-topology.js';
import { restoreRedacted } from './restore-redacted.js';
import type { Topology } from '../topology.js';
import { allAtOnce } from '../../../lib/steps.js';

const restored = (given: unknown, before: Topology) => allAtOnce(restoreRedacted(given, before));

const stored: Topology = {
  id: 1,
  name: 'Shop',
  nodes: [
    {
      id: 'a',
      name: 'A',
      kind: 'service',
      dependsOn: [],
      endpoint: 'http://t0ken@h/',
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

it('keeps the values of a node that is sent back without what is empty', () => {
  const { endpoint = '' } = stored.nodes[0] ?? {};
  const [plain] = stored.nodes.map((node) => ({ ...node, attributes: {} }));
  const given = { nodes: [{ id: 'a', name: 'A', kind: 'service', endpoint: 'http://***@h/' }] };
  const back = restored(given, { ...stored, nodes: plain ? [plain] : [] });
  expect(back).toMatchObject({ nodes: [{ endpoint }] });
  // The attributes that are stored are left out, too: that is a change.
  expect(restored(given, stored)).toEqual(given);
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

describe('credentials in the topology itself', () => {
  const paths = (endpoint: string, attributes: object, before?: Topology) => {
    const nodes = [{ ...stored.nodes[0], endpoint, attributes }];
    return inlineSecrets({ nodes } as Topology, before).map(({ path }) => path);
  };

  it.each<[string, object, string[]]>([
    ['redis://:hunter22@h', {}, ['nodes[0].endpoint']],
    ['http://h/?token=a', {}, ['nodes[0].endpoint']],
    ['http://h/', { headers: [{ apiKey: 'a' }] }, ['nodes[0].attributes.headers[0].apiKey']],
    ['http://h/', { from: 'http://u:p@h/' }, ['nodes[0].attributes.from']],
    ['redis://:${secret:A}@h', { apiKey: '${env:B}' }, []],
    ['redis://:${secret:A}hunter22@h', {}, ['nodes[0].endpoint']],
    ['http://u@h/?page=1', { team: 'three' }, ['nodes[0].endpoint']],
    ['http://h/?page=1', { team: 'three', apiKey: '' }, []],
  ])('are found in %s with %j', (endpoint, attributes, found) => {
    expect(paths(endpoint, attributes)).toEqual(found);
  });

  it('may stay if they are stored', () => {
    expect(paths('http://t0ken@h/', { apiToken: 'one' }, stored)).toEqual([]);
    expect(paths('http://t0ken2@h/', { apiToken: 'two' }, stored)).toEqual(['nodes[0].endpoint']);
  });
});
