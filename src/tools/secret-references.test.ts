import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { knownSecrets } from '../config/known-secrets.js';
import type { Topology, TopologyNode } from '../domain/topology/topology.js';
import { SecretReferences } from './secret-references.js';

let folder: string;
let references: SecretReferences;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'consilium-secrets-'));
  for (const tenant of ['default', 'acme']) {
    mkdirSync(join(folder, tenant));
    writeFileSync(join(folder, tenant, 'DB'), `p@ss/word of ${tenant}\n`);
  }
  writeFileSync(join(folder, 'acme', 'LINES'), 'one\r\ntwo');
  writeFileSync(join(folder, 'root'), 'of the operator');
  const variables: Record<string, string> = { SHOP: 'shop-password', OPENAI_API_KEY: 'sk-secret' };
  references = new SecretReferences({
    secretsDir: folder,
    secretsAllow: `env:SHOP, file:${folder}/root`,
    secretOf: (name) => variables[name],
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

const node = (endpoint: string, attributes: object = {}) =>
  ({ id: 'db', name: 'Db', kind: 'redis', dependsOn: [], endpoint, attributes }) as TopologyNode;
const faults = (one: TopologyNode, tenant = 'default') =>
  references.faults({ nodes: [one] } as unknown as Topology, tenant).map(({ path }) => path);

describe('a reference', () => {
  it('is the value of the tenant, encoded in the endpoint and as it is in attributes', async () => {
    const one = node('redis://:${secret:DB}@h:6379', { list: ['a ${secret:DB} b'], n: 5 });
    expect(await references.resolve(one, 'acme')).toMatchObject({
      endpoint: 'redis://:p%40ss%2Fword%20of%20acme@h:6379',
      attributes: { list: ['a p@ss/word of acme b'], n: 5 },
    });
    expect((await references.resolve(one, 'default')).endpoint).toContain('default');
    expect(knownSecrets()).toContain('p@ss/word of acme');
  });

  it('leaves a node without references as it is', async () => {
    const one = node('redis://:plain@h', { note: '$5 {x} ${HOME}' });
    expect(await references.resolve(one, 'acme')).toBe(one);
  });

  it('may be a variable or a file of the operator, if that is allowed', async () => {
    const one = node('redis://${env:SHOP}:${file:' + folder + '/root}@h');
    expect(faults(one)).toEqual([]);
    expect((await references.resolve(one, 'default')).endpoint).toBe(
      'redis://shop-password:of%20the%20operator@h',
    );
  });

  it.each<[string, string, string]>([
    ['a variable that is not allowed', '${env:OPENAI_API_KEY}', 'default'],
    ['a file that is not allowed', '${file:/etc/passwd}', 'default'],
    ['a variable of the operator, for another tenant', '${env:SHOP}', 'acme'],
    ['a file outside of the folder', '${secret:../root}', 'acme'],
    ['the folder itself', '${secret:..}', 'acme'],
  ])('is refused when it is stored and when it is used: %s', async (_, text, tenant) => {
    const one = node(`redis://:${text}@h`, { note: text });
    expect(faults(one, tenant)).toEqual(['nodes[0].endpoint', 'nodes[0].attributes']);
    const used = references.resolve(one, tenant);
    await expect(used).rejects.toThrow(`the credential ${text}`);
    await expect(used).rejects.not.toThrow(/sk-secret/);
  });

  it('is refused if its value is missing or has several lines', async () => {
    await expect(references.resolve(node('redis://:${secret:NONE}@h'), 'acme')).rejects.toThrow(
      'the credential ${secret:NONE} is missing or empty',
    );
    await expect(references.resolve(node('redis://:${secret:LINES}@h'), 'acme')).rejects.toThrow(
      'has control characters',
    );
    const none = new SecretReferences({
      secretsDir: undefined,
      secretsAllow: undefined,
      secretOf: () => undefined,
    });
    await expect(none.resolve(node('redis://:${secret:DB}@h'), 'acme')).rejects.toThrow(
      'needs SECRETS_DIR',
    );
  });
});
