import { describe, expect, it } from '@jest/globals';
import { inDocumentOrder, stepsOf } from './paths.js';

it('reads the steps of a path, also of quoted keys', () =>
  expect(stepsOf('teams[0].workers[12]["a.b"].name')).toEqual([
    'teams',
    0,
    'workers',
    12,
    'a.b',
    'name',
  ]));

describe('faults in the order of the document', () => {
  const document = {
    nodes: [
      { kind: 'tcp', id: 'a' },
      { id: 'b', dependsOn: ['x', 'y'] },
    ],
    teams: 3,
    id: 7,
  };
  const order = (...paths: string[]) =>
    inDocumentOrder(
      document,
      paths.map((path) => ({ path })),
    ).map(({ path }) => path);

  it('follow its keys and items, not the alphabet', () =>
    expect(order('id', 'teams', 'nodes[1].dependsOn[1]', 'nodes[0].id', 'nodes[0].kind')).toEqual([
      'nodes[0].kind',
      'nodes[0].id',
      'nodes[1].dependsOn[1]',
      'teams',
      'id',
    ]));

  it('have what is missing where its parent begins', () =>
    expect(order('nodes[1].id', 'nodes[1].name', 'nodes[0].id', 'name')).toEqual([
      'name',
      'nodes[0].id',
      'nodes[1].name',
      'nodes[1].id',
    ]));

  it('keep their order at the same place, whatever the document is', () => {
    expect(order('name', '', 'description')).toEqual(['name', '', 'description']);
    for (const other of [undefined, null, 3, 'x'])
      expect(inDocumentOrder(other, [{ path: 'b' }, { path: 'a' }])).toHaveLength(2);
  });
});
