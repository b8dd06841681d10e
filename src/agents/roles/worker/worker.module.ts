import { Module } from '@nestjs/common';
import { AgentRuntimeModule } from '../../runtime/agent-runtime.module.js';
import { WorkerProcessor } from './worker.processor.js';

@Module({ imports: [AgentRuntimeModule], providers: [WorkerProcessor] })
export class WorkerModule {}
