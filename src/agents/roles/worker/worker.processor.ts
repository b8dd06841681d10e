import { Injectable } from '@nestjs/common';
import { ToolRegistry } from '../../../tools/tool-registry.js';
import { AgentWorker } from '../../jobs/agent-worker.js';
import { AgentWorkerServices } from '../../jobs/agent-worker-services.js';
import { workerBehaviour } from './worker.behaviour.js';

@Injectable()
export class WorkerProcessor extends AgentWorker {
  constructor(services: AgentWorkerServices, tools: ToolRegistry) {
    super('worker', workerBehaviour(tools), services);
  }
}
