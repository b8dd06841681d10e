import { Module } from '@nestjs/common';
import { AgentRuntime } from './agent-runtime.js';
import { AgentWorkerServices } from './agent-worker-services.js';
import { Companion } from './companion.js';

@Module({ providers: [AgentRuntime, AgentWorkerServices, Companion], exports: [AgentWorkerServices] })
export class AgentRuntimeModule {}
