import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AppModule } from './app.module.js';
import { checkExchanges } from './check-files.js';
import { checkSetup } from './check-setup.js';
import type { Config } from './config/config.js';
import { misspeltWarnings } from './config/misspelt-variables.js';
import { readConsoleFiles, type ConsoleFiles } from './http/console/console-files.js';
import { serveConsole } from './http/console/serve-console.js';
import { authenticate } from './http/access/authenticate.js';
import { compressAnswers } from './http/compress-answers.js';
import { Authenticator } from './http/access/authenticator.js';
import { OpenStreams } from './http/access/open-streams.js';
import { AuditRequests } from './http/audit/audit-requests.js';
import { RateLimits } from './http/limits/rate-limits.js';
import { answerError, ErrorFilter } from './http/error-filter.js';
import { nameRequest } from './http/name-request.js';
import { completeDocument } from './http/openapi-document.js';
import { unknownPath } from './http/unknown-path.js';
import { addBodyChecks, addRequestChecks } from './http/request-checks/add-request-checks.js';
import { listenFault, portInUse } from './local/listen-fault.js';
import { redisUrlOrPrivate } from './local/private-redis.js';
import { storeFault } from './redis/store-fault.js';
import { deniedAccess, isStoreFailure } from './redis/store-failure.js';
import { asyncApi } from './streams/asyncapi.js';
import { Instruments } from './ops/telemetry/instruments.js';
import { LogMetrics } from './ops/telemetry/log-metrics.js';
import { measureRequests } from './ops/telemetry/measure-requests.js';
import { logRequests } from './ops/telemetry/log-requests.js';
import { makeLogger, PinoLogger } from './ops/telemetry/pino-logger.js';
import type { ModelEntry } from './models/models.js';
import type { Tool } from './tools/tool.js';
import { ToolRegistry } from './tools/tool-registry.js';

/** ms that Redis has to reply when the cause of a failed start is determined. */
const STORE_FAULT_MS = 2_000;

export interface Service {
  /** Base URL: `http://127.0.0.1:3000`. */
  url: string;
  /** URL of the console; undefined if it is not served. */
  consoleUrl: string | undefined;
  config: Config;
  /** Resolves with the reason if the private Redis was lost. The process should end. */
  lost: Promise<string>;
  /**
   * Accepts no more work, ends streams at a frame boundary, waits for running steps, and stops what
   * was started.
   */
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** Prints progress (the start of a private Redis) and warnings about variables. */
  say?: (line: string) => void;
  /** Diagnostic tools in addition to the built-in ones. */
  tools?: readonly Tool[];
  /** Language models in addition to the configured ones; `MODEL` may name one. */
  models?: readonly ModelEntry[];
}

/**
 * Starts the service in this process, with a private Redis if REDIS_URL is not set.
 * @throws Error with every fault of the environment and of the files that it names, or the reason
 *   why no Redis can be used and what to do
 */
export async function startService(
  env: Record<string, string | undefined>,
  options: ServiceOptions = {},
): Promise<Service> {
  // First: a misspelt name may be the reason of a fault.
  for (const warning of misspeltWarnings(env)) options.say?.(warning);
  const { config: loaded } = checkSetup(env, options.models);
  const fault = await listenFault(loaded.port, loaded.host);
  if (fault !== undefined) throw new Error(fault);
  for (const { id, detail } of await checkExchanges(loaded))
    if (detail !== '') options.say?.(`Warning: ${id}: ${detail}`);
  const redis = await redisUrlOrPrivate(loaded.redisUrl, {
    dir: loaded.dataDir,
    ...(options.say ? { say: options.say } : {}),
  });
  try {
    const config: Config = Object.freeze({ ...loaded, redisUrl: redis.url });
    const files = await consoleFiles(config);
    const app = await makeApp(config, options, files);
    try {
      await app.listen(config.port, config.host);
    } catch (error) {
      await app.close();
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      throw new Error(portInUse(config.port), { cause: error });
    }
    const { port } = app.getHttpServer().address() as AddressInfo;
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    const url = `http://${host}:${port}`;
    return {
      url,
      consoleUrl: files && `${url}/console`,
      config,
      lost: redis.lost,
      close: async () => {
        await app.close();
        await redis.stop();
      },
    };
  } catch (error) {
    await redis.stop();
    throw await startFault(error, redis.url);
  }
}

/**
 * The message for an error of the start: for one of Redis, why it was refused or got no reply, and
 * the remedy.
 */
async function startFault(error: unknown, redisUrl: string): Promise<unknown> {
  const denied = deniedAccess(error);
  if (denied) return new Error(`${denied.fault} ${denied.remedy}`, { cause: error });
  const fault = isStoreFailure(error) ? await storeFault(redisUrl, STORE_FAULT_MS) : undefined;
  return fault ? new Error(`Redis cannot be used: ${fault.message}`, { cause: error }) : error;
}

/** Paths outside the base path: for operators, and for clients of other services. */
const OUTSIDE = [
  'health',
  'health/live',
  'health/ready',
  'metrics',
  'mcp',
  'api/system/info',
  'auth/session',
  'chat/stream',
  'api/chat',
  'api/chat/:id/stream',
  'api/oracle',
  'api/oracle/stream',
  'api/oracle/cancel',
  'api/oracle/history',
  'api/oracle/context/trees',
  'api/oracle/context/trees/:rootId',
  'api/v1/conversations',
  'api/v1/conversations/:id',
  'api/v1/conversations/:id/stream',
  'api/settings/agent-config',
  'api/settings/agent-config/reset',
] as const;

/** The files of the console; undefined if it is off or was not built. */
async function consoleFiles({ role, console }: Config): Promise<ConsoleFiles | undefined> {
  if (role === 'worker' || console === 'off') return undefined;
  return readConsoleFiles(join(import.meta.dirname, '../dist/console'));
}

async function makeApp(
  config: Config,
  { tools = [], models = [] }: ServiceOptions,
  files: ConsoleFiles | undefined,
): Promise<NestExpressApplication> {
  const logger = makeLogger(config.logLevel);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.for(config, models), {
    bodyParser: false,
    logger: new PinoLogger(logger),
    abortOnError: false,
    // Streams have ended by then; only idle connections are left.
    forceCloseConnections: true,
  });
  const registry = app.get(ToolRegistry);
  tools.forEach((tool) => registry.add(tool));
  app.get(LogMetrics).addTools(registry.all.map(({ name }) => name));
  app.disable('x-powered-by');
  app.use(nameRequest);
  app.use(logRequests(logger));
  app.use(measureRequests(app.get(Instruments)));
  addRequestChecks(app, config);
  if (files) app.use(serveConsole(files));
  app.use(compressAnswers);
  app.use(
    authenticate(
      app.get(Authenticator),
      app.get(OpenStreams),
      app.get(RateLimits),
      app.get(AuditRequests),
    ),
  );
  addBodyChecks(app);
  app.setGlobalPrefix('api/service/v1', { exclude: [...OUTSIDE] });
  app.useGlobalFilters(new ErrorFilter());
  const document = new DocumentBuilder()
    .setTitle('Consilium')
    .setDescription('A council of agents that diagnoses a topology, and shows its work.')
    .setVersion('1')
    .build();
  app.use(
    '/docs/asyncapi.json',
    (_: Request, response: Response) => void response.json(asyncApi()),
  );
  SwaggerModule.setup('docs', app, () =>
    completeDocument(SwaggerModule.createDocument(app, document)),
  );
  try {
    await app.init();
  } catch (error) {
    await app.close();
    throw error;
  }
  // Nest handles only paths below the base path. Other paths get the same response.
  const hint = config.role === 'worker' ? '' : '; the API is described at /docs';
  app.use((request: Request, response: Response) =>
    answerError(unknownPath(request, hint), request, response),
  );
  return app;
}
