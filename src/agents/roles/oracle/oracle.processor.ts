import { Injectable } from '@nestjs/common';
import { AgentWorker } from '../../jobs/agent-worker.js';
import { AgentWorkerServices } from '../../jobs/agent-worker-services.js';
import { OracleBehaviour } from './oracle.behaviour.js';

@Injectable()
export class OracleProcessor extends AgentWorker {
  constructor(services: AgentWorkerServices, behaviour: OracleBehaviour) {
    super('oracle', behaviour, services);
  }
}
