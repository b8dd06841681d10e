import { Global, Module } from '@nestjs/common';
import { SourcesModule } from '../sources/sources.module.js';
import { Sources } from '../sources/sources.js';
import type { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { serversOf } from '../redis/redis-url.js';
import { REDIS } from '../redis/redis-token.js';
import { CONNECTION_LIMITS, ConnectionLimiter } from './limits/connection-limiter.js';
import { ProbePlaces } from './limits/probe-places.js';
import { RedisConnectionLimiter } from './limits/redis-connection-limiter.js';
import { EgressPolicy } from './egress/egress-policy.js';
import type { ProbePolicy } from './probe-policy.js';
import { configuredTools } from './own/own-tool.js';
import { QuarantineController } from './quarantine.controller.js';
import { SourcesController } from './sources.controller.js';
import { SecretReferences } from './secret-references.js';
import { ToolRegistry } from './tool-registry.js';
import { ToolsController } from './tools.controller.js';

@Global()
@Module({
  imports: [SourcesModule],
  providers: [
    {
      provide: ConnectionLimiter,
      inject: [REDIS, CONFIG],
      useFactory: (redis: Redis, config: Config) =>
        new RedisConnectionLimiter(redis, config.redisPrefix, {
          ...CONNECTION_LIMITS,
          atOnce: config.probeConnectionsPerHost,
          perSecond: config.probesPerSecondPerHost,
        }),
    },
    {
      provide: ToolRegistry,
      inject: [ConnectionLimiter, CONFIG, Sources],
      useFactory: (limiter: ConnectionLimiter, config: Config, sources: Sources) =>
        withOwnTools(
          new ToolRegistry(
            new ProbePlaces(limiter),
            policyOf(config),
            sources,
            new SecretReferences(config),
          ),
          config,
        ),
    },
  ],
  controllers: [ToolsController, QuarantineController, SourcesController],
  exports: [ToolRegistry],
})
export class ToolsModule {}

/**
 * @throws ConsiliumError VALIDATION_FAILED: the service does not start with a tool that has faults
 */
function withOwnTools(registry: ToolRegistry, config: Config): ToolRegistry {
  configuredTools(config).forEach((tool) => registry.add(tool));
  return registry;
}

const policyOf = ({ probeDnsPorts, probePaths, localProbes, ...config }: Config): ProbePolicy => ({
  approvalMs: config.approvalSeconds * 1_000,
  dnsPorts: probeDnsPorts.split(',').map(Number),
  paths: ['/', ...(probePaths ?? '').split(',').filter((path) => path !== '')],
  localProbes: localProbes === 'on',
  allRecords: true,
  ownCommands: true,
  egress: EgressPolicy.of(config.egressAllow, config.egressDeny, serversOf(config.redisUrl)),
});
