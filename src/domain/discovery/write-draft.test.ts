import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { parseTopology } from '../topology/parse-topology.js';
import { draftOf } from './draft.js';
import { writeDraft } from './write-draft.js';

const ANY_TOOL = [{ name: 'look', appliesTo: () => true }];
const found = (id: string, more = {}) => ({ id, kind: 'service', from: `service ${id}`, ...more });
const SOURCES = [{ id: 'k8s', kind: 'kubernetes' as const }];

const DRAFT = draftOf(
  [
    found('web', { endpoint: 'http://web:80', in: { k8s: 'shop/deployment/web' } }),
    found('on', { kind: 'redis' }),
    found('a: b\n- injected # "x"'),
  ],
  [
    { node: 'web', on: 'on', evidence: 'env', from: 'CACHE of\nweb' },
    { node: 'on', on: 'web', evidence: 'order', from: 'depends_on of on' },
  ],
);

test('is a topology that the service accepts, with the origin of each edge', () => {
  const text = writeDraft(DRAFT, { name: 'shop', sources: SOURCES });
  expect(text).toContain('      - "on" # env: CACHE of web');
  expect(text).toContain('# Left out, since it closes a cycle: on -> web (depends_on of on)');
  const parsed = parseTopology(parse(text), ANY_TOOL);
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults));
  expect(parsed.topology.nodes.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
    ['a: b - injected # "x"', []],
    ['on', []],
    ['web', ['on']],
  ]);
});

test('names no source that no node selects from', () => {
  const draft = draftOf([found('web')], []);
  expect(writeDraft(draft, { name: 'x', sources: SOURCES })).not.toContain('sources:');
});

test('says what a person must know about all of it, and to choose an id', () => {
  const text = writeDraft(
    { nodes: [], leftOut: [], unknown: [], unread: ['Service, which may\nnot be listed.'] },
    { name: 'shop', sources: [], notes: ['Names of the\nnetwork.'] },
  );
  expect(text).toContain(
    '# Names of the network.\n# Not read: Service, which may not be listed.\n',
  );
  expect(text).toMatch(/# Choose an id .*\n/);
});
