import { Module } from '@nestjs/common';
import { AgentRuntimeModule } from '../../runtime/agent-runtime.module.js';
import { TeamSupervisorProcessor } from './team-supervisor.processor.js';

@Module({ imports: [AgentRuntimeModule], providers: [TeamSupervisorProcessor] })
export class TeamSupervisorModule {}
