import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { jobIdOf, type AgentJob, type AgentRole } from '../../../src/queues/job-ids.js';
import {
  JobLostError,
  type QueueConsumer,
  type QueuedJob,
  type QueuePort,
} from '../../../src/queues/queue-port.js';
import { until } from '../until.js';

const dispatch = (runId: string, dispatchId: string) => ({
  runId,
  dispatchId,
  agentId: dispatchId,
  task: `task of ${dispatchId}`,
});

/**
 * What every implementation of `QueuePort` must do.
 * @param make a queue whose consumers work on one job at a time, and what closes it
 */
export function queueSuite(make: () => { queue: QueuePort; close: () => Promise<void> }): void {
  let queue: QueuePort;
  let close: () => Promise<void>;
  let top: AgentJob & { dispatchId: null };
  const consumers: QueueConsumer[] = [];
  const failed: (string | undefined)[] = [];
  beforeEach(() => {
    ({ queue, close } = make());
    failed.length = 0;
    top = { runId: randomUUID(), dispatchId: null, agentId: 'g', task: '?' };
  });
  afterEach(async () => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.close()));
    await close();
  });

  /** Works on jobs of a role; what it works on is listed by agent id. */
  function consume(
    role: AgentRole,
    work: (job: QueuedJob) => Promise<void> = async () => undefined,
  ) {
    const worked: string[] = [];
    const consumer = queue.consume(role, {
      work: async (job) => {
        worked.push(job.data.agentId);
        await work(job);
      },
      onError: () => undefined,
      onFailed: (id) => void failed.push(id),
    });
    consumers.push(consumer);
    return { worked, consumer };
  }
  const left = async () => (await queue.counts()).reduce((sum, { count }) => sum + count, 0);
  const countOf = async (state: string) =>
    (await queue.counts()).reduce((sum, one) => sum + (one.state === state ? one.count : 0), 0);

  it('says since when a job waits', async () => {
    const before = Date.now();
    expect(await queue.waitingSince()).toEqual(new Map());
    await queue.start(top, 'oracle');
    const since = await queue.waitingSince();
    expect([...since.keys()]).toEqual(['oracle']);
    expect(since.get('oracle')).toBeGreaterThanOrEqual(before);
    const { worked } = consume('oracle');
    await until('it is worked on', () => worked.length === 1);
    await until('it is done', async () => (await left()) === 0);
    expect(await queue.waitingSince()).toEqual(new Map());
  });

  it('hands a job over once, and removes it', async () => {
    await Promise.all([queue.start(top, 'oracle'), queue.start(top, 'oracle')]);
    expect(await queue.isQueued(top.runId, 'oracle')).toBe(true);
    expect(await queue.isQueued(top.runId, 'global_supervisor')).toBe(false);
    expect(await countOf('waiting')).toBe(1);
    let data: AgentJob | undefined;
    const { worked } = consume('oracle', async (job) => void (data = job.data));
    await until('it is done', async () => (await left()) === 0);
    expect([worked, data]).toEqual([['g'], top]);
    expect(await queue.isQueued(top.runId, 'oracle')).toBe(false);
  });

  it('parks a parent until its children have ended, with one slot for each role', async () => {
    const [d1, d2] = [dispatch(top.runId, 'd1'), dispatch(top.runId, 'd2')];
    const states: unknown[] = [];
    const parent = consume('global_supervisor', async (job) => {
      states.push(Object.fromEntries(await job.children()));
      if (states.length === 1) {
        await job.addChildren('team_supervisor', [d1, d2]);
        await job.addChildren('team_supervisor', [d1]);
      }
      await job.waitForChildren();
    });
    await queue.start(top, 'global_supervisor');
    await until('it is parked', async () => (await countOf('waiting-children')) === 1);
    const children = consume('team_supervisor', async (job) => {
      if (job.data.dispatchId === 'd2') throw new Error('a fault');
    });
    await until('all are done', async () => (await left()) === 0);
    expect(children.worked.toSorted()).toEqual(['d1', 'd2']);
    expect(failed).toEqual([jobIdOf(d2)]);
    expect(states).toEqual([{}, { d1: 'ended', d2: 'ended' }]);
    expect(parent.worked).toHaveLength(2);
  });

  it('brings a parent back whose work ended before its child, and fails neither', async () => {
    const d1 = dispatch(top.runId, 'd1');
    const parent = consume('global_supervisor', async (job) => {
      if ((await job.children()).size === 0) await job.addChildren('team_supervisor', [d1]);
    });
    await queue.start(top, 'global_supervisor');
    await until('it waits', async () => (await countOf('waiting-children')) === 1);
    const child = consume('team_supervisor');
    await until('all are done', async () => (await left()) === 0);
    expect([parent.worked, child.worked, failed]).toEqual([['g', 'g'], ['d1'], []]);
  });

  it('ends a parent that adds a child again which has ended, without a failure', async () => {
    const d1 = dispatch(top.runId, 'd1');
    let opened = 0;
    consume('global_supervisor', async (job) => {
      if (++opened <= 2) await job.addChildren('team_supervisor', [d1]);
      if (opened === 1) await job.waitForChildren();
    });
    consume('team_supervisor');
    await queue.start(top, 'global_supervisor');
    await until('all are done', async () => (await left()) === 0);
    expect([opened >= 2, failed]).toEqual([true, []]);
  });

  it('delays a job until it is woken or the time is over', async () => {
    let opened = 0;
    const { worked } = consume('oracle', async (job) => {
      opened++;
      if (opened === 1) await job.delay(600_000);
      if (opened === 2) await job.delay(1);
    });
    await queue.start(top, 'oracle');
    await until('it is delayed', async () => (await countOf('delayed')) === 1);
    expect(await queue.wake([jobIdOf(top, 'oracle'), 'no-such-job'])).toEqual(['no-such-job']);
    await until('it is done', async () => (await left()) === 0);
    expect(worked).toHaveLength(3);
  });

  it('hands a job that begins later out after its delay', async () => {
    const { worked } = consume('oracle');
    await queue.start({ ...top, delayMs: 600_000 }, 'oracle');
    await queue.start({ ...top, runId: randomUUID(), agentId: 'soon', delayMs: 1 }, 'oracle');
    await until('the other one is done', () => worked.includes('soon'));
    expect([await queue.isQueued(top.runId, 'oracle'), await countOf('delayed')]).toEqual([
      true,
      1,
    ]);
    await queue.start(top, 'oracle');
    expect(await countOf('delayed')).toBe(1);
    await queue.wake([jobIdOf(top, 'oracle')]);
    await until('it is done', async () => (await left()) === 0);
    expect(worked).toEqual(['soon', 'g']);
  });

  it('takes jobs without an order first, then in their order, then in that of their arrival', async () => {
    for (const [agentId, order] of Object.entries({ c: 3, a: 1, b: 2, z: 3, plain: undefined }))
      await queue.start(
        { ...top, runId: randomUUID(), agentId, ...(order !== undefined && { order }) },
        'oracle',
      );
    expect(await countOf('waiting')).toBe(5);
    expect([...(await queue.waitingSince()).keys()]).toEqual(['oracle']);
    const { worked } = consume('oracle');
    await until('all are done', async () => (await left()) === 0);
    expect(worked).toEqual(['plain', 'a', 'b', 'c', 'z']);
  });

  it('puts a parent whose children have ended before jobs of a later order', async () => {
    const named = (agentId: string, order: number) => ({
      ...top,
      runId: randomUUID(),
      agentId,
      order,
    });
    const parent = named('parent', 1);
    let parked = false;
    const { worked } = consume('global_supervisor', async (job) => {
      if (job.data.agentId === 'parent') {
        if (!parked) await job.addChildren('team_supervisor', [dispatch(parent.runId, 'd1')]);
        parked = true;
        await job.waitForChildren();
      } else if (job.data.agentId === 'held')
        await until('its child has ended', async () => (await countOf('waiting-children')) === 0);
    });
    await queue.start(parent, 'global_supervisor');
    await until('it is parked', async () => (await countOf('waiting-children')) === 1);
    await queue.start(named('held', 2), 'global_supervisor');
    await queue.start(named('later', 3), 'global_supervisor');
    await until('the other is at work', () => worked.length === 2);
    consume('team_supervisor');
    await until('all are done', async () => (await left()) === 0);
    expect(worked).toEqual(['parent', 'held', 'parent', 'later']);
  });

  it('gives a released job to a consumer again', async () => {
    let opened = 0;
    consume('oracle', async (job) => {
      if (++opened === 1) await job.release();
    });
    await queue.start(top, 'oracle');
    await until('it is done', async () => (await left()) === 0);
    expect([opened, failed]).toEqual([2, []]);
  });

  it('refuses a job that is no longer at work', async () => {
    let kept: QueuedJob | undefined;
    consume('oracle', async (job) => void (kept = job));
    await queue.start(top, 'oracle');
    await until('it is done', async () => (await left()) === 0);
    await expect(kept?.delay(1)).rejects.toThrow(JobLostError);
    await expect(kept?.release()).rejects.toThrow(JobLostError);
  });

  it('removes the jobs of a run, but not those at work', async () => {
    const d1 = dispatch(top.runId, 'd1');
    const pair = ['d1_1', 'd1_2'].map((id) => dispatch(top.runId, id));
    let finish = () => {};
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const supervisor = consume('global_supervisor', async (job) => {
      if ((await job.children()).size === 0) await job.addChildren('team_supervisor', [d1]);
      await job.waitForChildren();
    });
    const team = consume('team_supervisor', async (job) => {
      if ((await job.children()).size === 0) await job.addChildren('worker', pair);
      await job.waitForChildren();
    });
    const { worked } = consume('worker', () => gate);
    await queue.start(top, 'global_supervisor');
    await until('a worker is at work', () => worked.length === 1);
    // A removed child wakes its parent: no consumer may take it before it is removed too.
    await Promise.all([supervisor.consumer.close(), team.consumer.close()]);
    const ids = ['d1', 'd1_1', 'd1_2'];
    expect(await queue.remove(top.runId, ids, 'global_supervisor')).toEqual(['d1_1']);
    finish();
    await until('all are gone', async () => (await left()) === 0);
    expect(await queue.remove(top.runId, ids, 'global_supervisor')).toEqual([]);
  });

  it('revives a child that its parent waits for', async () => {
    const d1 = dispatch(top.runId, 'd1');
    expect(await queue.revive(d1, false)).toBe(false);
    consume('global_supervisor', async (job) => {
      if ((await job.children()).size === 0) await job.addChildren('team_supervisor', [d1]);
      await job.waitForChildren();
    });
    await queue.start(top, 'global_supervisor');
    await until('it is parked', async () => (await countOf('waiting-children')) === 1);
    expect(await queue.revive(d1, false)).toBe(false);
    const { worked } = consume('team_supervisor');
    await until('all are done', async () => (await left()) === 0);
    expect(worked).toEqual(['d1']);
    expect(await queue.revive(d1, false)).toBe(false);
  });

  it('closes a consumer when its jobs have ended', async () => {
    let finish = () => {};
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const { worked, consumer } = consume('oracle', () => gate);
    await queue.start(top, 'oracle');
    await until('it is at work', () => worked.length === 1);
    let closed = false;
    const closing = consumer.close().then(() => (closed = true));
    await queue.start({ ...top, runId: randomUUID() }, 'oracle');
    expect(closed).toBe(false);
    finish();
    await closing;
    expect([worked.length, await left()]).toEqual([1, 1]);
  });
}
