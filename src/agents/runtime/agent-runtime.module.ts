import { Module } from '@nestjs/common';
import { AgentRuntime } from './agent-runtime.js';
import { AgentWorkerServices } from './agent-worker-services.js';
import { AgentNotifiers } from '../notices/agent-notifiers.js';

@Module({
  providers: [AgentRuntime, AgentWorkerServices, AgentNotifiers],
  exports: [AgentWorkerServices],
})
export class AgentRuntimeModule {}
