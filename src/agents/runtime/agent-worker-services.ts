import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { EventLog } from '../../event-log/event-log.js';
import { Cancellations } from '../../queues/cancellations.js';
import { Queues } from '../../queues/queues.js';
import { RunControl } from '../../runs/run-control.js';
import { AgentRuntime } from './agent-runtime.js';

/** What the worker of every role needs. */
@Injectable()
export class AgentWorkerServices {
  constructor(
    readonly runtime: AgentRuntime,
    readonly log: EventLog,
    readonly queues: Queues,
    readonly cancellations: Cancellations,
    readonly control: RunControl,
    @Inject(CONFIG) readonly config: Config,
  ) {}
}
