import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { EventLog } from '../../event-log/event-log.js';
import { Cancellations } from '../../queues/cancellations.js';
import { Queues } from '../../queues/queues.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import { RunControl } from '../../runs/run-control.js';
import { AgentRuntime } from '../agent-runtime.js';
import { AgentWorker } from '../agent-worker.js';
import { workerBehaviour } from './worker.behaviour.js';

@Injectable()
export class WorkerProcessor extends AgentWorker {
  constructor(
    runtime: AgentRuntime,
    log: EventLog,
    queues: Queues,
    cancellations: Cancellations,
    control: RunControl,
    @Inject(CONFIG) config: Config,
    tools: ToolRegistry,
  ) {
    super('worker', workerBehaviour(tools), runtime, log, queues, cancellations, control, config);
  }
}
