import { Injectable } from '@nestjs/common';
import { AgentWorker } from '../../runtime/agent-worker.js';
import { AgentWorkerServices } from '../../runtime/agent-worker-services.js';
import { teamSupervisorBehaviour } from './team-supervisor.behaviour.js';

@Injectable()
export class TeamSupervisorProcessor extends AgentWorker {
  constructor(services: AgentWorkerServices) {
    super('team_supervisor', teamSupervisorBehaviour, services);
  }
}
