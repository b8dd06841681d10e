import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { MessageQuota } from './message-quota.js';
import { RunControl } from './run-control.js';
import { RunStarter } from './run-starter.js';
import { Sweeper } from './sweeper.js';

@Global()
@Module({
  providers: [RunControl, RunStarter, Idempotency, MessageQuota, Sweeper],
  exports: [RunControl, RunStarter, Idempotency, MessageQuota],
})
export class RunsModule {}
