import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { healthy, httpTarget, type Target } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { AttackScene } from './attack-scene.js';

/**
 * The admin of a tenant that does not operate the service, whose machine and networks are none of
 * its business.
 */
let attack: AttackScene;
let acme: { authorization: string };
let inner: Target;
/** Own tools of the operator. */
let tools: string;
beforeAll(async () => {
  tools = await mkdtemp(join(tmpdir(), 'consilium-own-'));
  await writeFile(join(tools, 'say.sh'), '#!/bin/sh\necho "ran-on-the-machine $*"\n', {
    mode: 0o755,
  });
  for (const [kind, more] of [
    ['spool', { command: ['say.sh', '{node}'] }],
    ['box', { command: ['say.sh', '{host}', '{port}'], tenants: 'all' }],
    ['shared', { command: ['say.sh', '{node}'], tenants: 'all' }],
  ] as const)
    await writeFile(
      join(tools, `look_at_${kind}.yaml`),
      JSON.stringify({ description: 'Looks.', kinds: [kind], ...more }),
    );
  attack = await AttackScene.open('keys', { TOOLS_DIR: tools });
  const { said } = await attack.post('/keys', { name: 'spy', role: 'admin', tenant: 'acme' });
  const { data } = JSON.parse(said) as { data: { key: string } };
  acme = { authorization: `Bearer ${data.key}` };
  inner = await httpTarget(attack.scene.targets, healthy);
});
afterAll(async () => {
  await attack.close();
  await rm(tools, { recursive: true });
});

const store = async (topology: object, headers: Record<string, string>) => {
  const { status, said } = await attack.post('/topologies', topology, headers);
  const { message, data } = JSON.parse(said) as {
    message: string;
    data: { errors?: { path: string; message: string }[]; warnings?: { message: string }[] };
  };
  return { status, message, ...data };
};
const RULE = 'public addresses only';
const WITH_RULE = expect.stringContaining(RULE) as unknown;

describe('C3: a tenant without EGRESS_ALLOW', () => {
  it.each([
    'http://127.0.0.1:80/',
    'http://[::1]/',
    'http://10.0.0.5/',
    'http://192.168.1.1/',
    'http://[::ffff:10.0.0.5]/',
    'http://[64:ff9b::10.0.0.5]/',
    'http://[fd00::1]/',
    'http://0x7f000001/',
  ])('stores no node at %s', async (endpoint) => {
    const { status, errors } = await store(topologyOf({ shop: { endpoint } }), acme);
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [{ path: 'nodes[0].endpoint', message: WITH_RULE }],
    });
  });

  it.each(['127.0.0.1:22', '10.0.0.5:5432', '[::1]:22'])(
    'stores no port at %s',
    async (endpoint) => {
      expect(await store(topologyOf({ db: { kind: 'tcp', endpoint } }), acme)).toMatchObject({
        status: 400,
        errors: [{ path: 'nodes[0].endpoint', message: WITH_RULE }],
      });
    },
  );

  it.each(['2130706433', '0177.0.0.1', '127.1'])(
    'stores no node at the spelling %s of 127.0.0.1',
    async (host) => {
      for (const [kind, endpoint] of [
        ['service', `http://${host}/`],
        ['tcp', `${host}:22`],
        ['dns', host],
      ] as const)
        expect(await store(topologyOf({ it: { kind, endpoint } }), acme)).toMatchObject({
          status: 400,
          errors: [{ path: 'nodes[0].endpoint' }],
        });
    },
  );

  it('stores no source and no address of a change there', async () => {
    const { endpoint } = inner;
    const drawn = topologyOf({ shop: { endpoint: 'https://shop.example/' } });
    const nodes = drawn.nodes.map((node) => ({ ...node, in: { metrics: 'job="shop"' } }));
    const sources = [{ id: 'metrics', kind: 'prometheus', endpoint }];
    expect(await store({ ...drawn, nodes, sources }, acme)).toMatchObject({
      status: 400,
      errors: [{ path: 'sources[0].endpoint', message: WITH_RULE }],
    });
    const attributes = { restartUrl: endpoint };
    const changed = { shop: { endpoint: 'https://shop.example/', attributes } };
    expect(await store(topologyOf(changed), acme)).toMatchObject({
      status: 400,
      errors: [{ path: 'nodes[0].attributes.restartUrl' }],
    });
  });

  it('reaches nothing there by a name', async () => {
    const endpoint = inner.endpoint.replace('127.0.0.1', 'localhost');
    const before = inner.hits;
    const topology = topologyOf({ shop: { endpoint } });
    expect(await store(topology, acme)).toMatchObject({ status: 201 });
    const body = { topologyId: topology.id, userMessage: 'What is wrong?' };
    const { said } = await attack.post('/executions/trigger', body, acme);
    expect(said).toContain('EGRESS_DENIED');
    expect(said).toContain(RULE);
    expect(inner.hits).toBe(before);
  });

  it('reads no source there by a name', async () => {
    const endpoint = inner.endpoint.replace('127.0.0.1', 'localhost');
    const drawn = topologyOf({ shop: { kind: 'workload' } });
    const nodes = drawn.nodes.map((node) => ({ ...node, in: { metrics: 'job="shop"' } }));
    const sources = [{ id: 'metrics', kind: 'prometheus', endpoint }];
    expect(await store({ ...drawn, nodes, sources }, acme)).toMatchObject({ status: 201 });
    const before = inner.hits;
    const body = { topologyId: drawn.id, userMessage: 'What is wrong?' };
    const { said } = await attack.post('/executions/trigger', body, acme);
    expect(said).toContain('"status":"denied"');
    expect(said).toContain('"reason":"EGRESS_DENIED"');
    expect(inner.hits).toBe(before);
  });

  it.each([
    ['that its file does not allow for it', 'spool', undefined, 'does not say `tenants: all`'],
    ['at an address inside', 'box', 'tcp://localhost:26902', RULE],
  ])('runs no command of the operator %s', async (_, kind, endpoint, rule) => {
    const topology = topologyOf({ it: { kind, ...(endpoint !== undefined && { endpoint }) } });
    expect(await store(topology, acme)).toMatchObject({ status: 201 });
    const body = { topologyId: topology.id, userMessage: 'What is wrong?' };
    const { said } = await attack.post('/executions/trigger', body, acme);
    expect(said).toContain(rule);
    expect(said).not.toContain('ran-on-the-machine');
  });

  it('runs the commands that are for all tenants', async () => {
    const topology = topologyOf({ it: { kind: 'shared' } });
    await store(topology, acme);
    const body = { topologyId: topology.id, userMessage: 'What is wrong?' };
    expect((await attack.post('/executions/trigger', body, acme)).said).toContain(
      'ran-on-the-machine it',
    );
  });

  it.each(['TXT', 'CNAME', 'MX', 'NS', 'SRV'])(
    'asks the resolver of the service for no %s records',
    async (recordType) => {
      const dns = { kind: 'dns', endpoint: 'shop.example', attributes: { recordType } };
      const topology = topologyOf({ it: dns });
      const { status, warnings } = await store(topology, acme);
      expect({ status, warnings }).toMatchObject({
        status: 201,
        warnings: [{ path: 'nodes[0].attributes.recordType' }],
      });
      const body = { topologyId: topology.id, userMessage: 'What is wrong?' };
      const { said } = await attack.post('/executions/trigger', body, acme);
      expect(said).toContain('"reason":"EGRESS_DENIED"');
      expect(said).not.toContain('lookup_ms');
    },
  );

  it('does not see the machine of the service', async () => {
    const topology = topologyOf({ worker: { kind: 'host' } });
    const { status, warnings } = await store(topology, acme);
    expect(status).toBe(201);
    expect(warnings?.map(({ message }) => message).join()).toContain('host_resources cannot');
    const body = { topologyId: topology.id, userMessage: 'What is wrong?' };
    const { said } = await attack.post('/executions/trigger', body, acme);
    expect(said).toContain('of another tenant than `default`');
    expect(said).not.toContain('memory');
  });
});

it('leaves the tenant that operates the service its networks', async () => {
  const { status, log } = await attack.diagnose({ shop: inner });
  expect(status).toBe('completed');
  expect(log).not.toContain('EGRESS_DENIED');
  expect(inner.hits).toBeGreaterThan(0);
});
