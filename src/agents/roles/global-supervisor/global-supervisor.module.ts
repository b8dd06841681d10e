import { Module } from '@nestjs/common';
import { AgentRuntimeModule } from '../../runtime/agent-runtime.module.js';
import { GlobalSupervisorProcessor } from './global-supervisor.processor.js';

@Module({ imports: [AgentRuntimeModule], providers: [GlobalSupervisorProcessor] })
export class GlobalSupervisorModule {}
