import { Injectable } from '@nestjs/common';
import { ToolRegistry } from '../../../tools/tool-registry.js';
import { AgentWorker } from '../../runtime/agent-worker.js';
import { AgentWorkerServices } from '../../runtime/agent-worker-services.js';
import { globalSupervisorBehaviour } from './global-supervisor.behaviour.js';

@Injectable()
export class GlobalSupervisorProcessor extends AgentWorker {
  constructor(services: AgentWorkerServices, tools: ToolRegistry) {
    super('global_supervisor', globalSupervisorBehaviour(tools), services);
  }
}
