import { Injectable } from '@nestjs/common';
import { AgentWorker } from '../../runtime/agent-worker.js';
import { AgentWorkerServices } from '../../runtime/agent-worker-services.js';
import { globalSupervisorBehaviour } from './global-supervisor.behaviour.js';

@Injectable()
export class GlobalSupervisorProcessor extends AgentWorker {
  constructor(services: AgentWorkerServices) {
    super('global_supervisor', globalSupervisorBehaviour, services);
  }
}
