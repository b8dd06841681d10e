import { Injectable } from '@nestjs/common';
import { AgentRuntime } from '../runtime/agent-runtime.js';
import { FailedJobs } from './failed-jobs.js';
import { JobConsumers } from './job-consumer.js';
import { Parking } from '../runtime/parking.js';
import { RunningJobs } from './running-jobs.js';

/** The services that the job consumer of every role needs. */
@Injectable()
export class AgentWorkerServices {
  constructor(
    readonly runtime: AgentRuntime,
    readonly parking: Parking,
    readonly failed: FailedJobs,
    readonly running: RunningJobs,
    readonly consumers: JobConsumers,
  ) {}
}
