import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { nodeOf } from '../../test/support/loopback.js';
import { diagnosticTools } from './tools.js';

test('every tool has a name of its own and arguments that can be shown as JSON Schema', () => {
  expect(new Set(diagnosticTools.map(({ name }) => name)).size).toBe(diagnosticTools.length);
  for (const { name, args, description } of diagnosticTools) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(description).not.toBe('');
    const schema = z.toJSONSchema(args);
    expect(schema).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: ['node'],
    });
    for (const property of Object.values(schema.properties ?? {}))
      expect(property).toMatchObject({ description: expect.any(String) as unknown });
  }
});

test('C6: every tool says what it measures, and by which arguments', () => {
  const measuring = (wanted: string, kind = 'service') =>
    diagnosticTools.filter((tool) => tool.measures({ kind }) === wanted).map(({ name }) => name);
  expect(measuring('transport')).toEqual(['dns_lookup', 'tcp_probe', 'tls_certificate']);
  expect(measuring('transport', 'tls')).toEqual(['dns_lookup', 'tcp_probe']);
  expect(measuring('records')).toEqual([
    'alertmanager_alerts',
    'kubernetes_events',
    'metrics_query',
    'log_search',
    'trace_search',
    'kubernetes_inspect',
    'restart_process',
  ]);
  const wide = diagnosticTools.filter(({ scope }) => scope === 'topology');
  expect(measuring('system')).toEqual(wide.map(({ name }) => name));
  for (const { args, subject = [] } of diagnosticTools)
    expect(Object.keys(z.toJSONSchema(args).properties ?? {})).toEqual(
      expect.arrayContaining([...subject]),
    );
});

test('a first look has arguments that fit', () => {
  const node = nodeOf('service', 'https://shop.example/');
  for (const tool of diagnosticTools)
    expect(tool.args.parse(tool.argsFor(node))).toMatchObject({ node: 'target' });
});

test('the kinds of the contract each have their tools', () => {
  const namesFor = (...node: Parameters<typeof nodeOf>) =>
    diagnosticTools.filter((tool) => tool.appliesTo(nodeOf(...node))).map(({ name }) => name);
  expect(namesFor('service', 'http://127.0.0.1/')).toEqual(['tcp_probe', 'http_probe']);
  expect(namesFor('service', 'https://shop.example/', { metricsPath: '/metrics' })).toEqual([
    'dns_lookup',
    'tcp_probe',
    'tls_certificate',
    'http_probe',
    'prometheus_metrics',
  ]);
  expect(namesFor('service', 'http://127.0.0.1/', { nginxStatusPath: '/status' })).toEqual([
    'tcp_probe',
    'http_probe',
    'nginx_status',
  ]);
  expect(namesFor('tcp', '[::1]:80')).toEqual(['tcp_probe']);
  expect(namesFor('redis', 'redis://127.0.0.1')).toEqual(['tcp_probe', 'redis_inspect']);
  expect(namesFor('postgres', 'postgres://127.0.0.1/shop')).toEqual([
    'tcp_probe',
    'postgres_inspect',
  ]);
  expect(namesFor('mysql', 'mariadb://127.0.0.1/shop')).toEqual(['tcp_probe', 'mysql_inspect']);
  expect(namesFor('rabbitmq', '127.0.0.1:5672')).toEqual(['tcp_probe']);
  expect(namesFor('kafka', '127.0.0.1:9092')).toEqual(['tcp_probe', 'kafka_inspect']);
  expect(namesFor('elasticsearch', '127.0.0.1:9200')).toEqual([]);
  expect(namesFor('dns', 'shop.example')).toEqual(['dns_lookup']);
  expect(namesFor('tls', '127.0.0.1:443')).toEqual(['tcp_probe', 'tls_certificate']);
  expect(namesFor('host')).toEqual(['host_resources']);
  expect(namesFor('process', undefined, { process: 'nginx' })).toEqual(['process_check']);
  expect(namesFor('spaceship', 'http://127.0.0.1/')).toEqual([]);
});

test.each([
  ['prometheus', 'metrics', ['metrics_check', 'metrics_compare', 'metrics_query']],
  ['loki', 'logs', ['log_patterns', 'log_search']],
  ['elasticsearch', 'logs', ['log_patterns', 'log_search']],
  ['journald', 'logs', ['log_patterns', 'log_search']],
  ['logfile', 'logs', ['log_patterns', 'log_search']],
  ['tempo', 'traces', ['trace_search']],
  ['jaeger', 'traces', ['trace_search']],
] as const)('a node that selects from %s has the tools of its %s', (kind, telemetry, names) => {
  const plain = nodeOf('service', 'http://127.0.0.1/');
  const sources = [{ id: 'source', kind, provides: [telemetry] }];
  const namesFor = (given: typeof plain) =>
    diagnosticTools
      .filter(({ scope = 'node' }) => scope === 'node')
      .filter((tool) => tool.appliesTo(given, sources))
      .map(({ name }) => name);
  const probes = ['tcp_probe', 'http_probe'];
  expect(namesFor({ ...plain, in: { source: 'x' } })).toEqual([...probes, ...names]);
  expect(namesFor(plain)).toEqual(probes);
});
