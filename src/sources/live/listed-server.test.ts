import { expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { serverOf } from './listed-server.js';
import type { ListedServer } from './sources-file.js';

const reach = { egress: anyEgress, secretOf: (name: string) => `value of ${name}` };
const es: ListedServer = {
  id: 'logs',
  kind: 'elasticsearch',
  endpoint: 'https://es:9200/',
  indices: 'a-*,b',
  auth: { apiKey: '${env:KEY}' },
  ca: '${env:CA}',
};
const loki: ListedServer = { id: 'loki', kind: 'loki', endpoint: 'http://loki', tenant: 'team' };

test('a listed server is asked with its credentials, below its indices', async () => {
  const server = serverOf({ id: 'logs', kind: 'elasticsearch' }, [loki, es], reach);
  expect(server.endpoint).toBe('https://es:9200/a-*,b');
  expect(await server.authorization?.()).toBe('ApiKey value of KEY');
  expect(await server.authority?.()).toBe('value of CA');
});

test('a tenant is named in each request', () => {
  const server = serverOf({ id: 'loki', kind: 'loki' }, [loki, es], reach);
  expect(server).toEqual({
    endpoint: 'http://loki',
    egress: anyEgress,
    headers: { 'x-scope-orgid': 'team' },
  });
});

test('an endpoint of the topology gets no credential', () => {
  const listed: ListedServer[] = [{ ...es, id: 'prom', kind: 'prometheus' } as ListedServer];
  const given = { id: 'prom', kind: 'prometheus' as const, endpoint: 'http://other' };
  expect(serverOf(given, listed, reach)).toEqual({ endpoint: 'http://other', egress: anyEgress });
});

test('a server of another kind is not the source', () => {
  expect(() => serverOf({ id: 'logs', kind: 'loki' }, [loki, es], reach)).toThrow(
    'SOURCES_FILE lists "logs" as elasticsearch, not as loki',
  );
});
