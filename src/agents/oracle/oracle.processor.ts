import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { EventLog } from '../../event-log/event-log.js';
import { Cancellations } from '../../queues/cancellations.js';
import { Queues } from '../../queues/queues.js';
import { RunControl } from '../../runs/run-control.js';
import { AgentRuntime } from '../agent-runtime.js';
import { AgentWorker } from '../agent-worker.js';
import { OracleBehaviour } from './oracle.behaviour.js';

@Injectable()
export class OracleProcessor extends AgentWorker {
  constructor(
    behaviour: OracleBehaviour,
    runtime: AgentRuntime,
    log: EventLog,
    queues: Queues,
    cancellations: Cancellations,
    control: RunControl,
    @Inject(CONFIG) config: Config,
  ) {
    super('oracle', behaviour, runtime, log, queues, cancellations, control, config);
  }
}
