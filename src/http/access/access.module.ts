import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { ApiKeys } from './api-keys.js';
import { Authenticator } from './authenticator.js';
import { BootstrapKey } from './bootstrap-key.js';
import { KeysController } from './keys.controller.js';
import { OpenStreams } from './open-streams.js';
import { SessionController } from './session.controller.js';
import { Sessions } from './sessions.js';
import { StreamTickets } from './stream-tickets.js';

/** Authentication and roles. Needs the global modules of configuration and Redis. */
@Global()
@Module({
  controllers: [KeysController, SessionController],
  providers: [
    ...[BootstrapKey, ApiKeys, Sessions, StreamTickets, Authenticator, OpenStreams],
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [ApiKeys, Authenticator, OpenStreams, StreamTickets],
})
export class AccessModule {}
