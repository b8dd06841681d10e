import { Module } from '@nestjs/common';
import { AgentRuntime } from './agent-runtime.js';
import { AgentWorkerServices } from './agent-worker-services.js';
import { Companions } from '../notices/agent-notifiers.js';

@Module({
  providers: [AgentRuntime, AgentWorkerServices, Companions],
  exports: [AgentWorkerServices],
})
export class AgentRuntimeModule {}
