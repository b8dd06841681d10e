import { describe, expect, test } from '@jest/globals';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Topologies } from '../../src/topologies/topologies.js';
import { TOPOLOGIES, topologiesOverHttp, wire } from '../support/processes/topologies-app.js';

const { ask, app } = topologiesOverHttp();

describe('topologies over HTTP', () => {
  test('the examples are there at the first request', async () => {
    const { data } = await ask('GET', '?limit=3');
    expect(data['items']).toMatchObject([
      { id: 1, version: 1 },
      { id: 2, agentCount: 13, teamCount: 3 },
      { id: 3 },
    ]);
    const next = await ask('GET', `?cursor=${String(data['nextCursor'])}`);
    expect(next.data).toMatchObject({ items: [{ id: 4 }], nextCursor: null });
  });

  test('a topology from creation to deletion', async () => {
    const created = await ask('POST', '?x=1', wire(50));
    expect(created).toMatchObject({ status: 201, code: 'SUCCESS', location: `${TOPOLOGIES}/50` });
    expect(created.data).toMatchObject({
      id: 50,
      version: 1,
      globalSupervisor: { agentId: '1' },
      teams: [{ workers: [{ node: 'api' }, { node: 'cache' }] }],
    });
    expect(JSON.stringify(created.data)).not.toContain('secret');
    expect(await ask('POST', '', wire(50))).toMatchObject({
      status: 409,
      code: 'TOPOLOGY_EXISTS',
      data: null,
    });

    const shown = await ask('GET', '/50');
    expect(shown).toMatchObject({ status: 200, data: created.data });
    const replaced = await ask('PUT', '/50', { ...shown.data, name: 'Edited' });
    expect(replaced).toMatchObject({
      status: 200,
      data: { name: 'Edited', version: 2, createdAt: created.data['createdAt'] },
    });
    expect((await app().get(Topologies).get('default', 50)).topology.nodes[1]?.endpoint).toBe(
      'redis://:secret@127.0.0.1:1',
    );

    expect(await ask('DELETE', '/50')).toMatchObject({
      status: 200,
      code: 'SUCCESS',
      data: { id: 50 },
    });
    for (const [method, body] of [['GET'], ['DELETE'], ['PUT', wire(50)]] as const)
      expect(await ask(method, '/50', body)).toMatchObject({
        status: 404,
        code: 'TOPOLOGY_NOT_FOUND',
        data: null,
      });
    expect(await ask('POST', '', wire(50))).toMatchObject({ status: 201, data: { version: 3 } });
    await ask('DELETE', '/50');
  });

  test('keeps earlier versions until the topology is deleted', async () => {
    await ask('POST', '', wire(51));
    for (let i = 2; i <= 22; i++) await ask('PUT', '/51', { ...wire(51), name: `Version ${i}` });
    const { data } = await ask('GET', '/51/versions');
    const items = data['items'] as { version: number; name: string }[];
    expect(items.map(({ version }) => version)).toEqual(
      Array.from({ length: 20 }, (_, i) => 22 - i),
    );
    expect(items.at(-1)).toMatchObject({ name: 'Version 3', nodeCount: 2 });
    const earlier = await ask('GET', '/51?version=3');
    expect(earlier).toMatchObject({ status: 200, data: { version: 3, name: 'Version 3' } });
    expect(JSON.stringify(earlier.data)).not.toContain('secret');
    for (const path of ['/51?version=2', '/51?version=23', '/52/versions'])
      expect(await ask('GET', path)).toMatchObject({ status: 404, code: 'TOPOLOGY_NOT_FOUND' });
    await ask('DELETE', '/51');
    expect(await ask('GET', '/51/versions')).toMatchObject({ status: 404 });
    await ask('POST', '', wire(51));
    expect((await ask('GET', '/51/versions')).data).toMatchObject({ items: [{ version: 23 }] });
    await ask('DELETE', '/51');
  });

  test('a check returns what would be stored and stores nothing', async () => {
    const checked = await ask('POST', '/check', wire(53));
    expect(checked).toMatchObject({
      status: 200,
      data: { id: 53, globalSupervisor: { agentId: '1' }, teams: [{}] },
    });
    expect(JSON.stringify(checked.data)).not.toContain('secret');
    expect(await ask('GET', '/53')).toMatchObject({ status: 404 });
    // Faults are what was asked for; a body that is no topology at all has faults, too.
    const faulty = await ask('POST', '/check', { ...wire(53), name: '', nodes: [] });
    expect(faulty).toMatchObject({ status: 200, code: 'SUCCESS' });
    expect(faulty.data).toEqual({
      errors: [
        { path: 'name', message: expect.any(String) },
        { path: 'nodes', message: expect.any(String) },
      ],
    });
    expect((await ask('POST', '/check', {})).data['errors']).toHaveLength(3);
    await ask('POST', '', wire(53));
    // What a GET gave may be checked again, with its password redacted.
    const shown = await ask('GET', '/53');
    expect(await ask('POST', '/check', shown.data)).toMatchObject({ status: 200 });
    await ask('DELETE', '/53');
  });

  test('is described in OpenAPI', () => {
    const { paths } = SwaggerModule.createDocument(app(), new DocumentBuilder().build());
    expect(
      Object.keys(paths[`${TOPOLOGIES}/{id}`] ?? {}).filter((key) =>
        ['get', 'put', 'delete'].includes(key),
      ),
    ).toHaveLength(3);
    expect(JSON.stringify(paths[TOPOLOGIES]?.post)).toMatch(
      /globalSupervisor.*certificateDays|certificateDays.*globalSupervisor/,
    );
  });
});
