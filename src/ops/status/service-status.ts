import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { RunIndex } from '../../event-log/run-index.js';
import { iso } from '../../lib/iso.js';
import { ModelLimiter } from '../../models/calls/model-limiter.js';
import type { LimiterState } from '../../models/calls/limiter-types.js';
import { Models, type ModelEntry } from '../../models/models.js';
import { QueuePort, type JobCount } from '../../queues/queue-port.js';
import { ProcessRegistry, processStatus } from './process-registry.js';

const time = z.iso.datetime().nullable();

const modelStatus = z.object({
  name: z.string(),
  concurrency: z.int().nullable(),
  requestsPerMinute: z.int().nullable(),
  /**
   * Running calls, over all processes; 0 for a model without limits, whose calls are not counted.
   */
  calls: z.int(),
  waiting: z.int(),
  startedInMinute: z.int(),
  /** Until then its provider takes no calls (Retry-After). */
  heldUntil: time,
  breaker: z.object({
    state: z.enum(['closed', 'open', 'half-open']),
    failures: z.int(),
    until: time,
  }),
});

const queueStatus = z.object({
  queue: z.string(),
  waiting: z.int(),
  active: z.int(),
  delayed: z.int(),
  /** Supervisors that wait for the agents that they have dispatched. */
  parked: z.int(),
  /** When the oldest job was added that waits for a slot. */
  waitingSince: time,
});

/** `GET /status` */
export const serviceStatus = z.object({
  now: z.iso.datetime(),
  openRuns: z.int(),
  processes: z.array(processStatus),
  models: z.array(modelStatus),
  queues: z.array(queueStatus),
  store: z.object({ warnings: z.array(z.string()) }),
});

/** The state of the whole service, over all processes. */
@Injectable()
export class ServiceStatus {
  constructor(
    private readonly processes: ProcessRegistry,
    private readonly limiter: ModelLimiter,
    private readonly models: Models,
    private readonly queues: QueuePort,
    private readonly index: RunIndex,
  ) {}

  /** @throws the error of the store's client while the store cannot be reached */
  async read(now: number): Promise<z.infer<typeof serviceStatus>> {
    const entries = this.models.list();
    const [processes, openRuns, counts, since, states] = await Promise.all([
      this.processes.list(),
      this.index.countOpen(),
      this.queues.counts(),
      this.queues.waitingSince(),
      Promise.all(entries.map((entry) => this.limiter.inspect(entry))),
    ]);
    return {
      now: iso(now),
      openRuns,
      processes,
      models: entries.map((entry, i) => modelOf(entry, states[i] as LimiterState)),
      queues: [...new Set(counts.map(({ queue }) => queue))].map((queue) =>
        queueOf(queue, counts, since.get(queue) ?? null),
      ),
      store: { warnings: [...new Set(processes.flatMap(({ storeWarnings }) => storeWarnings))] },
    };
  }
}

function modelOf(
  { name, limits }: ModelEntry,
  { heldUntil, breaker, ...counted }: LimiterState,
): z.infer<typeof modelStatus> {
  return {
    name,
    concurrency: limits?.concurrency ?? null,
    requestsPerMinute: limits?.requestsPerMinute ?? null,
    ...counted,
    heldUntil: iso(heldUntil),
    breaker: { ...breaker, until: iso(breaker.until) },
  };
}

function queueOf(
  queue: string,
  counts: readonly JobCount[],
  waitingSince: number | null,
): z.infer<typeof queueStatus> {
  const of = (state: JobCount['state']) =>
    counts.find((each) => each.queue === queue && each.state === state)?.count ?? 0;
  return {
    queue,
    waiting: of('waiting'),
    active: of('active'),
    delayed: of('delayed'),
    parked: of('waiting-children'),
    waitingSince: iso(waitingSince),
  };
}
