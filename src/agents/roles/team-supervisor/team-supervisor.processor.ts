import { Injectable } from '@nestjs/common';
import { AgentWorker } from '../../jobs/agent-worker.js';
import { AgentWorkerServices } from '../../jobs/agent-worker-services.js';
import { teamSupervisorBehaviour } from './team-supervisor.behaviour.js';

@Injectable()
export class TeamSupervisorProcessor extends AgentWorker {
  constructor(services: AgentWorkerServices) {
    super('team_supervisor', teamSupervisorBehaviour, services);
  }
}
