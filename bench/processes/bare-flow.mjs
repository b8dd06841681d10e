// The same 13 jobs as a bare BullMQ flow, with as many XADDs as a run of the product has events:
// what Redis and BullMQ cost without agents, claims, checkpoints and reports. One process with a
// queue and a worker for each of three roles, as ROLE=all.
import { createServer } from 'node:http';
import { FlowProducer, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { serve } from '../lib/helper.mjs';
import { AGENTS, TEAMS, WORKERS_EACH } from '../lib/topology.mjs';

const CONCURRENCY = { top: 8, team: 8, worker: 16 };
const PAYLOAD = 'x'.repeat(350);
const OPTIONS = { removeOnComplete: true, removeOnFail: true };

serve({
  async start({ redisUrl, events }) {
    const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
    const flows = new FlowProducer({ connection: redis, prefix: '{bare}' });
    const waiting = new Map();
    const share = Math.floor(events / AGENTS);
    const rest = events - share * AGENTS;

    /** All its XADDs are sent together and awaited once. */
    const work = async ({ data: { run, adds } }) => {
      const pipeline = redis.pipeline();
      for (let i = 0; i < adds; i++) pipeline.xadd(`bare:{${run}}:log`, '*', 'f', PAYLOAD);
      await pipeline.exec();
    };
    const workers = Object.entries(CONCURRENCY).map(
      ([name, concurrency]) =>
        new Worker(name, work, {
          connection: { url: redisUrl, maxRetriesPerRequest: null },
          prefix: '{bare}',
          concurrency,
        }),
    );
    workers[0].on('completed', (job) => waiting.get(job.data.run)?.());

    let lastRun = 0;
    const server = createServer(async (request, response) => {
      const run = String(++lastRun);
      const job = (queueName, adds, children) => ({
        name: 'agent',
        queueName,
        data: { run, adds },
        opts: OPTIONS,
        ...(children && { children }),
      });
      const ended = new Promise((resolve) => waiting.set(run, resolve));
      const team = () =>
        job(
          'team',
          share,
          Array.from({ length: WORKERS_EACH }, () => job('worker', share)),
        );
      await flows.add(job('top', share + rest, Array.from({ length: TEAMS }, team)));
      response.write('event: lifecycle.started\n\n');
      await ended;
      waiting.delete(run);
      response.end('event: lifecycle.completed\n\n');
      void redis.unlink(`bare:{${run}}:log`);
    });
    return new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`)),
    );
  },
});
