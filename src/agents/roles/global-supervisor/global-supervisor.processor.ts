import { Injectable } from '@nestjs/common';
import { ToolRegistry } from '../../../tools/tool-registry.js';
import { AgentWorker } from '../../jobs/agent-worker.js';
import { AgentWorkerServices } from '../../jobs/agent-worker-services.js';
import { globalSupervisorBehaviour } from './global-supervisor.behaviour.js';

@Injectable()
export class GlobalSupervisorProcessor extends AgentWorker {
  constructor(services: AgentWorkerServices, tools: ToolRegistry) {
    super('global_supervisor', globalSupervisorBehaviour(tools), services);
  }
}
