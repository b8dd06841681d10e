import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { Redis } from 'ioredis';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { REDIS } from '../../redis/redis-token.js';
import { AuditLog } from '../audit/audit-log.js';
import { AuditRequests } from '../audit/audit-requests.js';
import { AuditController } from '../audit/audit.controller.js';
import { FailedLogins } from '../limits/failed-logins.js';
import { redisLimiters } from '../limits/limiter.js';
import { RateLimits } from '../limits/rate-limits.js';
import { StreamLeases } from '../limits/stream-leases.js';
import { AccessGuard } from './access.guard.js';
import { RequestAdmission } from './admission.js';
import { ApiKeys } from './api-keys.js';
import { Authenticator } from './authenticator.js';
import { BootstrapKey } from './bootstrap-key.js';
import { KeysController } from './keys.controller.js';
import { OpenStreams } from './open-streams.js';
import { SessionController } from './session.controller.js';
import { Sessions } from './sessions.js';
import { StreamTickets } from './stream-tickets.js';

/** Authentication, roles and limits. Needs the global modules of configuration and Redis. */
@Global()
@Module({
  controllers: [KeysController, SessionController, AuditController],
  providers: [
    BootstrapKey,
    ApiKeys,
    Sessions,
    StreamTickets,
    Authenticator,
    OpenStreams,
    StreamLeases,
    RequestAdmission,
    AuditLog,
    AuditRequests,
    {
      provide: RateLimits,
      inject: [REDIS, CONFIG],
      useFactory: (redis: Redis, config: Config) =>
        new RateLimits(redisLimiters(redis, config.redisPrefix), config),
    },
    {
      provide: FailedLogins,
      inject: [REDIS, CONFIG],
      useFactory: (redis: Redis, { redisPrefix, failedLoginsPerMinute }: Config) =>
        new FailedLogins(redisLimiters(redis, redisPrefix), failedLoginsPerMinute),
    },
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [
    RequestAdmission,
    ApiKeys,
    AuditRequests,
    Authenticator,
    OpenStreams,
    RateLimits,
    Sessions,
    StreamTickets,
  ],
})
export class AccessModule {}
