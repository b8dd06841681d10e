import { Global, Module } from '@nestjs/common';
import { RunControl } from './run-control.js';
import { Sweeper } from './sweeper.js';

@Global()
@Module({ providers: [RunControl, Sweeper], exports: [RunControl] })
export class RunsModule {}
