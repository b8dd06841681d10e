import { expect, it } from '@jest/globals';
import { countedAddress } from './counted-address.js';

const asked: string[] = [];
const KNOWN: Record<string, string[]> = {
  'db.example': ['10.0.0.2', '10.0.0.1'],
  'db-alias.example': ['::ffff:10.0.0.1', '10.0.0.2'],
  'other.example': ['10.0.0.3'],
};
const egress = {
  denialOf: ({ host }: { host: string }) => (host === 'denied.example' ? 'denied' : undefined),
  resolve: async ({ host }: { host: string }) => {
    asked.push(host);
    const found = KNOWN[host];
    if (!found) throw new Error('ENOTFOUND');
    return found.map((address) => ({ address, family: 4 as const }));
  },
};
const of = (host: string) => countedAddress({ host, port: 1 }, egress);

it('is the same for all names of a host', async () => {
  expect(await of('db.example')).toBe('10.0.0.1');
  expect(await of('db-alias.example')).toBe('10.0.0.1');
  expect(await of('other.example')).toBe('10.0.0.3');
});

it('is the name of a host that cannot be resolved', async () =>
  expect(await of('Gone.example.')).toBe('gone.example'));

it('asks no resolver for an address, nor for what tools may not connect to', async () => {
  asked.length = 0;
  expect(await Promise.all(['::ffff:10.0.0.9', 'denied.example'].map(of))).toEqual([
    '10.0.0.9',
    'denied.example',
  ]);
  expect(asked).toEqual([]);
});
