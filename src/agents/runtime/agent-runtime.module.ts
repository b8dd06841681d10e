import { Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { Clock } from '../../lib/clock.js';
import { ModelCalls } from '../../models/calls/model-calls.js';
import { ModelLimiter } from '../../models/calls/model-limiter.js';
import { QueuePort } from '../../queues/queue-port.js';
import { REDIS } from '../../redis/redis-token.js';
import { AgentNotifiers } from '../notices/agent-notifiers.js';
import { AgentOpener } from './agent-opener.js';
import { AgentRuntime } from './agent-runtime.js';
import { AgentWorkerServices } from '../jobs/agent-worker-services.js';
import { FailedJobs } from '../jobs/failed-jobs.js';
import { JobConsumers } from '../jobs/job-consumer.js';
import { Parking } from './parking.js';
import { RunningJobs } from '../jobs/running-jobs.js';

const limiterOf = (redis: Redis, { redisPrefix, maxRetryAfterSeconds }: Config) =>
  new ModelLimiter(redis, redisPrefix, { maxHoldMs: maxRetryAfterSeconds * 1_000 });

@Module({
  providers: [
    AgentOpener,
    AgentRuntime,
    AgentWorkerServices,
    AgentNotifiers,
    FailedJobs,
    JobConsumers,
    Parking,
    RunningJobs,
    {
      provide: ModelCalls,
      inject: [REDIS, CONFIG, QueuePort, Clock],
      // A call that ends makes room at a model, and wakes the agents that are parked for it.
      useFactory: (redis: Redis, config: Config, queues: QueuePort, clock: Clock) =>
        new ModelCalls(limiterOf(redis, config), {
          now: () => clock.now(),
          wake: (jobIds) => queues.wake(jobIds),
        }),
    },
  ],
  exports: [AgentWorkerServices],
})
export class AgentRuntimeModule {}
