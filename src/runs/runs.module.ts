import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { DeferredNotices } from './deferred-notices.js';
import { RunControl } from './run-control.js';
import { RunStarter } from './run-starter.js';
import { Sweeper } from './sweeper.js';

@Global()
@Module({
  providers: [RunControl, RunStarter, Idempotency, DeferredNotices, Sweeper],
  exports: [RunControl, RunStarter, Idempotency, DeferredNotices],
})
export class RunsModule {}
