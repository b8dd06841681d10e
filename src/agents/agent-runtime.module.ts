import { Module } from '@nestjs/common';
import { AgentRuntime } from './agent-runtime.js';

@Module({ providers: [AgentRuntime], exports: [AgentRuntime] })
export class AgentRuntimeModule {}
