import { describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import {
  act,
  PAID_MODEL,
  sessionOf,
  type SessionSketch,
} from '../../../test/support/models/agent-session.js';
import type { OpenCall } from '../../domain/blackboard.js';
import { RefusedError } from '../../domain/errors.js';
import { SourceError } from '../../sources/http/source-error.js';
import { EgressDeniedError } from '../../tools/egress/egress-policy.js';
import type { Tool } from '../../tools/tool.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import { runTools } from './run-tools.js';

const fine = { status: 'ok' as const, summary: 'fine', measurements: {}, issues: [] };

function lookOf(run: Tool['run']): ToolRegistry {
  const tools = new ToolRegistry();
  tools.add({
    name: 'look',
    description: 'Looks',
    access: 'read',
    measures: () => 'service',
    repeatable: true,
    args: z.object({ node: z.string() }),
    appliesTo: () => true,
    argsFor: ({ id }) => ({ node: id }),
    run,
  });
  return tools;
}
const call = (id: string, more: Partial<OpenCall> = {}): OpenCall => ({
  tool_call_id: id,
  tool: 'look',
  args: { node: 'web' },
  ...more,
});

/** The results of calls, as the log has them. */
async function results(
  calls: OpenCall[],
  run: Tool['run'] = async () => fine,
  more: SessionSketch = {},
) {
  const { session, steps } = sessionOf({ ...more, board: { calls } });
  await act(runTools, session, { tools: lookOf(run) });
  const events = steps.flatMap((step) => step.events);
  const found = events.flatMap((event) => (event.name === 'llm.tool_result' ? [event.data] : []));
  return { session, steps, events, results: found };
}

describe('run-tools', () => {
  it('records each result as a step, and cites it by its id', async () => {
    const { session, steps, results: found } = await results([call('t1'), call('t2')]);
    expect(found.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(steps).toHaveLength(2);
    expect(session.board.calls).toEqual([]);
    expect(found.map((one) => one.tool_call_id)).toEqual(['t1', 't2']);
    expect(found[0]).toMatchObject({ node: 'web', subject: '', measures: 'service' });
    expect(session.messages[0]).toMatchObject({ role: 'result', output: { evidence: 't1' } });
  });

  it('holds results of the built-in planner back for its next step, if they may be had again', async () => {
    const chain = [{ ...PAID_MODEL, isFree: true }];
    const { session, steps } = await results([call('t1'), call('t2')], undefined, { chain });
    expect(steps).toEqual([]);
    await session.finish({ state: session.board });
    expect(steps.map(({ events }) => events.map(({ name }) => name))).toEqual([
      ['llm.tool_result', 'llm.tool_result'],
    ]);
    const once = sessionOf({ chain, board: { calls: [call('t1')] } });
    const tools = lookOf(async () => fine);
    tools.add({ ...(tools.get('look') as Tool), repeatable: false });
    await act(runTools, once.session, { tools });
    expect(once.steps).toHaveLength(1);
  });

  it('does not count what a tool waits for with others against the time of the call', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const tools = lookOf(async () => fine);
    const look = tools.get('look') as Tool;
    let before = -1;
    tools.add({
      ...look,
      ready: async () => {
        await Promise.resolve();
        before = limits();
      },
    });
    const { session, steps } = sessionOf({ board: { calls: [call('t1')] } });
    const limitMs = session.spec.limits.toolTimeoutSeconds * 1_000;
    const limits = () => timers.mock.calls.filter(([, ms]) => ms === limitMs).length;
    await act(runTools, session, { tools });
    const [event] = steps.flatMap(({ events }) => events);
    expect(event).toMatchObject({ name: 'llm.tool_result', data: { status: 'ok' } });
    expect([before, limits()]).toEqual([0, 1]);
    timers.mockRestore();
  });

  it('keeps single samples from the model, which the measurements sum up', async () => {
    const sampled = { ...fine, samples: [{ ms: 12 }], measurements: { latency_ms: 12 } };
    const { session, results: found } = await results([call('t1')], async () => sampled);
    expect(found[0]?.result).toMatchObject({ samples: [{ ms: 12 }] });
    expect(JSON.stringify(session.messages[0])).not.toContain('samples');
  });

  it('H4: keeps a worker to its own node and what that depends on, and names them', async () => {
    const seen: string[] = [];
    const run: Tool['run'] = async (_, { node }) => (seen.push(node.id), fine);
    const calls = ['web', 'db', 'far', 'nowhere'].map((node) => call(node, { args: { node } }));
    const { results: found } = await results(calls, run);
    expect(seen.toSorted()).toEqual(['db', 'web']);
    const errors = found.filter(({ status }) => status === 'error').map(({ result }) => result);
    expect(errors).toEqual(
      ['far', 'nowhere'].map((node) => ({
        error: `node: "${node}" is not a node that you may look at. Nodes: web, db`,
        code: 'NOT_MEASURED',
      })),
    );
  });

  it('H4: runs no tool on a dependency that the tool does not fit', async () => {
    const seen: string[] = [];
    const tools = lookOf(async (_, { node }) => (seen.push(node.id), fine));
    const look = tools.get('look') as Tool;
    tools.add({ ...look, appliesTo: ({ kind }) => kind === 'service' });
    const { session, steps } = sessionOf({
      board: { calls: ['web', 'db'].map((node) => call(node, { args: { node } })) },
    });
    await act(runTools, session, { tools });
    expect(seen).toEqual(['web']);
    expect(steps.flatMap(({ events }) => events).map(({ data }) => data)).toContainEqual(
      expect.objectContaining({
        tool_call_id: 'db',
        status: 'error',
        result: { error: 'look does not fit db, which is a tcp.', code: 'NOT_MEASURED' },
      }),
    );
  });

  it('H4: runs no tool that exists but is not of the worker', async () => {
    const tools = lookOf(async () => fine);
    const foreign = jest.fn(async () => fine);
    tools.add({ ...(tools.get('look') as Tool), name: 'dig', run: foreign });
    const { session, steps } = sessionOf({ board: { calls: [call('t1', { tool: 'dig' })] } });
    await act(runTools, session, { tools });
    expect(foreign).not.toHaveBeenCalled();
    expect(steps.flatMap(({ events }) => events).map(({ data }) => data)).toMatchObject([
      { status: 'error', result: { error: expect.stringMatching(/no tool "dig" here/) } },
    ]);
  });

  it('answers calls that are not run', async () => {
    const { results: found } = await results([
      call('t1', { interrupted: true }),
      call('t2', { fault: 'no' }),
      call('t3', { tool: 'dig' }),
      call('t4', { args: {} }),
    ]);
    const byId = Object.fromEntries(found.map((one) => [one.tool_call_id, one]));
    expect(byId).toMatchObject({
      t1: { status: 'interrupted' },
      t2: { status: 'error', result: { error: 'no' } },
      t3: { result: { error: expect.stringMatching(/no tool "dig" here. Tools: report/) } },
      t4: { result: { error: expect.stringMatching(/^node: /) } },
    });
  });

  it('makes the first look of a worker whose model ended its work without it, once', async () => {
    const { session, steps } = sessionOf({ board: { stop: true } });
    const tools = lookOf(async () => fine);
    expect(await act(runTools, session, { tools })).toEqual({ outcome: 'success' });
    const names = steps.flatMap(({ events }) => events.map(({ name }) => name));
    expect(names).toEqual(['llm.tool_call', 'llm.tool_result']);
    // The call is on record before it is made: a process that goes on from there makes it, and
    // opens no other.
    expect(steps).toHaveLength(2);
    expect(JSON.parse(steps[0]?.checkpoint ?? '')).toMatchObject({
      calls: [{ tool_call_id: 'd1_1_t1', tool: 'look' }],
    });
    await act(runTools, session, { tools });
    expect(steps).toHaveLength(2);
  });

  it('reports a source at a denied address as denied', async () => {
    const cause = new EgressDeniedError('localhost', 'EGRESS_ALLOW does not name it');
    const failure = new SourceError('unreachable', `localhost: ${cause.message}`, { cause });
    const found = await results([call('t1')], () => Promise.reject(failure));
    expect(found.results).toMatchObject([{ status: 'denied', result: { code: 'EGRESS_DENIED' } }]);
  });

  it('makes an error of what a tool throws, and a timeout of one that hangs', async () => {
    const thrown = await results([call('t1')], () => Promise.reject(new Error('broken')));
    expect(thrown.results).toMatchObject([{ status: 'error', result: { error: 'broken' } }]);
    const refused = await results([call('t1')], () => Promise.reject(new RefusedError('no')));
    expect(refused.results[0]?.result).toEqual({ error: 'no', code: 'REFUSED' });
    const late = await results([call('t1')], () => new Promise(() => undefined), {
      deadlineAt: Date.now() - 1,
    });
    expect(late.results).toMatchObject([{ status: 'timeout', result: { code: 'LIMIT_REACHED' } }]);
  });

  it('reports the progress of a call that takes longer than a second', async () => {
    jest.useFakeTimers();
    try {
      let finish = (): void => undefined;
      const going = results(
        [call('t1')],
        () => new Promise((resolve) => (finish = () => resolve(fine))),
      );
      await jest.advanceTimersByTimeAsync(6_500);
      finish();
      await jest.advanceTimersByTimeAsync(10);
      const { events } = await going;
      expect(events.map(({ name }) => name)).toEqual([
        'system.warning',
        'system.warning',
        'llm.tool_result',
      ]);
      expect(events[0]?.data).toMatchObject({
        code: 'TOOL_RUNNING',
        tool_call_id: 't1',
        message: expect.stringContaining('look of The web is still running after 1 s'),
      });
    } finally {
      jest.useRealTimers();
    }
  });
});
