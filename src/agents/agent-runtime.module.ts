import { Module } from '@nestjs/common';
import { AgentRuntime } from './agent-runtime.js';
import { Companion } from './companion.js';

@Module({ providers: [AgentRuntime, Companion], exports: [AgentRuntime] })
export class AgentRuntimeModule {}
