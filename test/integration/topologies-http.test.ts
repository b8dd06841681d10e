import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ArgumentsHost, ExceptionFilter, INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import type { AddressInfo, Server } from 'node:net';
import { BehavioursModule } from '../../src/behaviours/behaviours.module.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { loadConfig } from '../../src/config/load-config.js';
import { ConsiliumError } from '../../src/domain/errors.js';
import { LOCAL, setPrincipal } from '../../src/http/access/principal.js';
import { ModelsModule } from '../../src/models/models.module.js';
import { PromptsModule } from '../../src/prompts/prompts.module.js';
import { RedisModule } from '../../src/redis/redis.module.js';
import { Topologies } from '../../src/topologies/topologies.js';
import { TopologiesModule } from '../../src/topologies/topologies.module.js';
import { ToolsModule } from '../../src/tools/tools.module.js';
import { testRedis, type TestRedis } from '../support/redis.js';

const wire = (id: number, more: object = {}) => ({
  id,
  name: `Topology ${id}`,
  nodes: [
    {
      id: 'api',
      name: 'API',
      kind: 'service',
      endpoint: 'http://127.0.0.1:1/',
      dependsOn: ['cache'],
    },
    { id: 'cache', name: 'Cache', kind: 'redis', endpoint: 'redis://:secret@127.0.0.1:1' },
  ],
  ...more,
});
/** Stands in for the service's own filter. */
class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const status = {
      VALIDATION_FAILED: 400,
      TOPOLOGY_NOT_FOUND: 404,
      TOPOLOGY_EXISTS: 409,
    } as Record<string, number>;
    const { code, message, options } = error as ConsiliumError;
    host
      .switchToHttp()
      .getResponse<Response>()
      .status(status[code] ?? 500)
      .json({ code, message, data: options?.faults ? { errors: options.faults } : null });
  }
}

describe('HTTP', () => {
  const base = '/api/service/v1/topologies';
  let own: TestRedis;
  let app: INestApplication;
  let url: string;
  beforeAll(async () => {
    own = testRedis();
    const config = loadConfig({
      ROLE: 'api',
      REDIS_URL: own.url,
      REDIS_PREFIX: own.prefix,
      TOPOLOGIES_DIR: 'examples/topologies',
    });
    const imports = [
      ConfigModule.with(config),
      RedisModule,
      PromptsModule,
      ToolsModule,
      ModelsModule.with([]),
      BehavioursModule.with(undefined),
      TopologiesModule,
    ];
    app = (await Test.createTestingModule({ imports }).compile()).createNestApplication();
    app.useLogger(false);
    app.use((request: Request, _response: Response, next: NextFunction) => {
      setPrincipal(request, LOCAL);
      next();
    });
    app.setGlobalPrefix('api/service/v1').useGlobalFilters(new ErrorFilter());
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${((app.getHttpServer() as Server).address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await app.close();
    await own.close();
  });

  async function ask(method: string, path: string, body?: unknown) {
    const init =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${url}${base}${path}`, { method, ...init });
    const { code, message, data } = (await response.json()) as {
      code: string;
      message: string;
      data: Record<string, unknown>;
    };
    return {
      status: response.status,
      code,
      message,
      data,
      location: response.headers.get('location'),
    };
  }

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
    expect(created).toMatchObject({ status: 201, code: 'SUCCESS', location: `${base}/50` });
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
    expect((await app.get(Topologies).get('default', 50)).topology.nodes[1]?.endpoint).toBe(
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
    const faulty = await ask('POST', '/check', { ...wire(53), name: '', nodes: [] });
    expect(faulty).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    await ask('POST', '', wire(53));
    // What a GET gave may be checked again, with its password redacted.
    const shown = await ask('GET', '/53');
    expect(await ask('POST', '/check', shown.data)).toMatchObject({ status: 200 });
    await ask('DELETE', '/53');
  });

  test('returns every fault and stores nothing', async () => {
    const answer = await ask('POST', '', {
      ...wire(60),
      name: '',
      nodes: [{ id: 'a', name: 'A', kind: 'service', endpoint: 'x', dependsOn: ['b'] }],
    });
    expect(answer).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      message: 'The topology has 3 faults',
    });
    expect((answer.data['errors'] as { path: string }[]).map(({ path }) => path)).toEqual([
      'name',
      'nodes[0].endpoint',
      'nodes[0].dependsOn[0]',
    ]);
    expect(await ask('GET', '/60')).toMatchObject({ status: 404 });
  });

  test('returns warnings about probable mistakes', async () => {
    const node = { id: 'a', name: 'A', kind: 'tcp', endpoint: '127.0.0.1:1' };
    const written = {
      ...wire(64),
      nodes: [
        { ...node, attributes: { slowMS: 3 } },
        { ...node, id: 'b', kind: 'servce', attributes: { owner: 'me' } },
        { ...node, id: 'c', kind: 'toaster' },
      ],
    };
    const warnings = [
      {
        path: 'nodes[0].attributes.slowMS',
        message: 'unknown attribute "slowMS" has no effect; did you mean "slowMs"?',
      },
      {
        path: 'nodes[1].kind',
        message: expect.stringMatching(/^unknown kind "servce"; did you mean "service"\?/),
      },
      {
        path: 'nodes[1].attributes.owner',
        message: 'unknown attribute "owner" has no effect',
      },
      {
        path: 'nodes[2].kind',
        message: expect.stringMatching(
          /^no tool can measure node "c" of kind "toaster"; kinds with tools: service, /,
        ),
      },
    ];
    const created = await ask('POST', '', written);
    expect(created.data['warnings']).toEqual(warnings);
    // What was answered may be put back.
    const replaced = await ask('PUT', '/64', created.data);
    expect([replaced.status, replaced.data['warnings']]).toEqual([200, warnings]);
    expect((await ask('GET', '/64')).data).not.toHaveProperty('warnings');
    await ask('DELETE', '/64');
  });

  test('names faults in the order of the document', async () => {
    const node = { name: 'A', kind: 'tcp', endpoint: '127.0.0.1:1' };
    const written = {
      nodes: [
        { ...node, id: 'a', dependsOn: ['x'], attributes: { timeoutMs: 3 } },
        { ...node, id: 'b', kind: 5, dependsOn: ['y'] },
      ],
      teams: 3,
      surplus: 1,
    };
    const refused = await ask('POST', '', written);
    expect(refused.data['errors']).toMatchObject(
      [
        ...['id', 'name', 'nodes[0].dependsOn[0]', 'nodes[0].attributes.timeoutMs'],
        ...['nodes[1].kind', 'nodes[1].dependsOn[0]', 'teams', 'surplus'],
      ].map((path) => ({ path })),
    );
  });

  test('a password is not carried to another host', async () => {
    await ask('POST', '', wire(61));
    const moved = wire(61);
    (moved.nodes[1] as { endpoint: string }).endpoint = 'redis://:***@elsewhere:1';
    expect(await ask('PUT', '/61', moved)).toMatchObject({
      status: 400,
      data: {
        errors: [{ path: 'nodes[1].endpoint', message: expect.stringContaining('redacted') }],
      },
    });
    await ask('DELETE', '/61');
  });

  test('the id of the body is the id of the path', async () => {
    expect(await ask('PUT', '/1', wire(2))).toMatchObject({
      status: 400,
      data: { errors: [{ path: 'id' }] },
    });
    expect(await ask('PUT', '/1', { ...wire(1), id: '1' })).toMatchObject({
      status: 400,
      data: { errors: [{ path: 'id' }] },
    });
  });

  test('refuses an unknown model or behaviour with a suggestion', async () => {
    const answer = await ask('POST', '', {
      ...wire(61),
      globalSupervisor: { agentId: '1', name: 'Head', model: 'runbok', behaviour: 'unknown' },
    });
    expect(answer).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      message: 'The topology has 2 faults',
    });
    expect(JSON.stringify(answer)).toContain('"path":"globalSupervisor.behaviour"');
    expect(JSON.stringify(answer)).toContain(
      JSON.stringify({
        path: 'globalSupervisor.model',
        message: 'unknown model "runbok": did you mean "runbook"? allowed: runbook',
      }),
    );
    expect(await ask('GET', '/61')).toMatchObject({ status: 404 });
  });

  test.each([
    'abc',
    '0',
    '-1',
    '1.5',
    '99999999999999999999',
    '9007199254740992',
    '1e3',
    '%20',
    '%00',
    '__proto__',
    '１',
  ])('id %s is refused', async (id) => {
    for (const method of ['GET', 'DELETE', 'PUT'])
      expect(await ask(method, `/${id}`, method === 'PUT' ? {} : undefined)).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
        data: { errors: [{ path: 'id' }] },
      });
  });

  test.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1&limit=2',
    'cursor=',
    'cursor=zzz',
    'cursor=1',
    `cursor=${'a'.repeat(5000)}`,
  ])('?%s is refused', async (query) => {
    expect(await ask('GET', `?${query}`)).toMatchObject({
      status: 400,
      data: { errors: [{ path: query.split('=')[0] }] },
    });
  });

  test.each([undefined, [], 'text', null, 5])('the body %j is refused', async (body) => {
    const answer = await ask('POST', '', body === undefined ? undefined : [body]);
    expect(answer).toMatchObject({ status: 400, data: { errors: [{ path: '' }] } });
  });

  test('is described in OpenAPI', () => {
    const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    expect(
      Object.keys(paths[`${base}/{id}`] ?? {}).filter((key) =>
        ['get', 'put', 'delete'].includes(key),
      ),
    ).toHaveLength(3);
    expect(JSON.stringify(paths[base]?.post)).toMatch(
      /globalSupervisor.*certificateDays|certificateDays.*globalSupervisor/,
    );
  });
});
