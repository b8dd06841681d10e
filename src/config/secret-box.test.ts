import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Topology } from '../domain/topology/topology.js';
import { SecretBox } from './secret-box.js';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const FIRST = key('2025');
const SECOND = key('2026');

const topology = {
  id: 7,
  nodes: [
    {
      id: 'db',
      name: 'Db',
      kind: 'redis',
      dependsOn: [],
      endpoint: 'redis://:hunter22@db.example:6379',
      attributes: { apiToken: 'abcdefgh', slowMs: 5, deep: { list: ['https://u:p@h/'] } },
    },
    {
      id: 'web',
      name: 'Web',
      kind: 'service',
      dependsOn: ['db'],
      endpoint: 'http://web.example/',
      attributes: {},
    },
  ],
} as unknown as Topology;

it('seals what clients do not see, and nothing else', () => {
  const sealed = SecretBox.of(FIRST).seal(topology, 'acme');
  const text = JSON.stringify(sealed);
  for (const secret of ['hunter22', 'abcdefgh', 'u:p@h']) expect(text).not.toContain(secret);
  expect(sealed.nodes[1]).toEqual(topology.nodes[1]);
  expect(sealed.nodes[0]).toMatchObject({ id: 'db', attributes: { slowMs: 5 } });
  expect(text.match(/sealed:v1:2025:/g)).toHaveLength(3);
  expect(SecretBox.of(FIRST).open(sealed, 'acme')).toEqual(topology);
});

it('opens what an older key sealed, and says which key is missing', () => {
  const old = SecretBox.of(FIRST).seal(topology, 'acme');
  const rotated = SecretBox.of(`${SECOND}\n${FIRST}\n`);
  expect(rotated.open(old, 'acme')).toEqual(topology);
  expect(JSON.stringify(rotated.seal(topology, 'acme'))).toContain('sealed:v1:2026:');
  expect(() => SecretBox.of(SECOND).open(old, 'acme')).toThrow('key 2025');
});

it('opens a secret only where it was sealed', () => {
  const box = SecretBox.of(FIRST);
  const sealed = box.seal(topology, 'acme');
  const [db, web] = sealed.nodes;
  const moved = { ...sealed, nodes: [{ ...web, endpoint: db?.endpoint }] } as Topology;
  for (const [stolen, tenant] of [
    [sealed, 'globex'],
    [{ ...sealed, id: 8 }, 'acme'],
    [moved, 'acme'],
  ] as const)
    expect(() => box.open(stolen, tenant)).toThrow();
  const changed = JSON.parse(
    JSON.stringify(sealed).replace(
      /(2025:....)(.)/,
      (_, head: string, one: string) => head + (one === 'A' ? 'B' : 'A'),
    ),
  ) as Topology;
  expect(() => box.open(changed, 'acme')).toThrow();
});

it('leaves everything as it is without a key, and takes a text that looks sealed as a text', () => {
  expect(SecretBox.of('').seal(topology, 'acme')).toBe(topology);
  expect(SecretBox.of('').open(topology, 'acme')).toEqual(topology);
  const [, web] = topology.nodes;
  const odd = { id: 7, nodes: [{ ...web, attributes: { note: 'sealed:v1:2025:abcd' } }] };
  const box = SecretBox.of(FIRST);
  const sealed = box.seal(odd as unknown as Topology, 'acme');
  expect(box.open(sealed, 'acme')).toEqual(odd);
});

it.each([
  ['a key that is too short', 'a:abcd', 'key 1 must be ID:KEY'],
  ['a key without an id', FIRST.slice(5), 'key 1 must be ID:KEY'],
  ['two keys of one id', `${key('a')},${key('a')}`, 'the same id'],
])('refuses %s, and does not show it', (_, text, message) => {
  expect(() => SecretBox.of(text)).toThrow(message);
  try {
    SecretBox.of(text);
  } catch (error) {
    expect(String(error)).not.toContain(text.split(':').at(-1));
  }
});
