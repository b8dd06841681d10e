import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { RunControl } from './run-control.js';
import { RunStarter } from './run-starter.js';
import { Sweeper } from './sweeper.js';

@Global()
@Module({
  providers: [RunControl, RunStarter, Idempotency, Sweeper],
  exports: [RunControl, RunStarter, Idempotency],
})
export class RunsModule {}
