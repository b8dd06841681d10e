import { afterAll, beforeAll } from '@jest/globals';
import type { ArgumentsHost, ExceptionFilter, INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { NextFunction, Request, Response } from 'express';
import type { AddressInfo, Server } from 'node:net';
import { BehavioursModule } from '../../../src/behaviours/behaviours.module.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { ConsiliumError } from '../../../src/domain/errors.js';
import { LOCAL, setPrincipal } from '../../../src/http/access/principal.js';
import { ModelsModule } from '../../../src/models/models.module.js';
import { PromptsModule } from '../../../src/prompts/prompts.module.js';
import { RedisModule } from '../../../src/redis/redis.module.js';
import { TopologiesModule } from '../../../src/topologies/topologies.module.js';
import { ToolsModule } from '../../../src/tools/tools.module.js';
import { testRedis, type TestRedis } from '../redis.js';

/** Where topologies are, over HTTP. */
export const TOPOLOGIES = '/api/service/v1/topologies';

/** A topology of two nodes, as a client sends it. */
export const wire = (id: number, more: object = {}) => ({
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

/** Serves the topologies of an empty Redis to the tests of a file. */
export function topologiesOverHttp() {
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
    const response = await fetch(`${url}${TOPOLOGIES}${path}`, { method, ...init });
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

  return { ask, app: () => app };
}
