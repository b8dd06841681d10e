import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { act, sessionOf, SMALL_TOPOLOGY } from '../../../../test/support/models/agent-session.js';
import { spec, started } from '../../../../test/support/incidents/drafts.js';
import type { OpenApproval, OpenCall } from '../../../domain/blackboard.js';
import type { Measures } from '../../../domain/diagnosis/tool-result.js';
import type { DraftEvent } from '../../../domain/events/event.js';
import type { JsonObject } from '../../../lib/json.js';
import { MemoryLog } from '../../../event-log/memory-log.js';
import { ToolRegistry } from '../../../tools/tool-registry.js';
import type { Tool } from '../../../tools/tool.js';
import { runTools } from '../run-tools.js';
import { digestOfCall } from './approval-gate.js';

const NOW = Date.UTC(2026, 10, 22);
let log: MemoryLog;
let time: number;
let made: string[];
beforeEach(async () => {
  time = NOW;
  made = [];
  log = new MemoryLog(undefined, () => time);
  await log.create('run', spec, [started, looked({ issues: [down] })]);
});

const down = { severity: 'critical', symptom: 'unreachable', title: 'is down', detail: '' };

/** The result of a tool that has looked at `db`. */
const looked = (
  { issues }: { issues: JsonObject[] },
  more: { tool_call_id?: string; node?: string; measures?: Measures } = {},
): DraftEvent => ({
  name: 'llm.tool_result',
  source: null,
  data: {
    tool: 'look',
    tool_call_id: 'd1_1_t1',
    status: 'ok',
    duration_ms: 1,
    truncated: false,
    dispatch_id: 'd1_1',
    turn: 1,
    attempt: 0,
    node: 'db',
    measures: 'service',
    subject: '',
    result: { status: 'ok', summary: '', measurements: {}, issues },
    ...more,
  },
});

const fine = { status: 'ok' as const, summary: 'fixed', measurements: {}, issues: [] };

/** A registry with a tool that changes `db`. */
function tools(): ToolRegistry {
  const registry = new ToolRegistry();
  const fix: Tool = {
    name: 'fix',
    access: 'change',
    scope: 'repair',
    repeatable: true,
    measures: () => 'records',
    args: z.object({ node: z.string(), how: z.string().optional() }),
    appliesTo: ({ id }) => id === 'db',
    argsFor: ({ id }) => ({ node: id }),
    change: ({ name }) => ({ message: `Fix ${name}.`, risk: 'It may break.' }),
    run: async (_, { operation }) => (made.push(operation), fine),
  };
  registry.add(fix);
  return registry;
}

const call = (more: Partial<OpenCall> = {}): OpenCall => ({
  tool_call_id: 't1',
  tool: 'fix',
  args: { node: 'db' },
  ...more,
});

/** Runs the call of an agent at the top, in a run that may repair. */
async function run(
  open: OpenCall,
  { repair = true, deadlineAt = NOW + 900_000 }: { repair?: boolean; deadlineAt?: number } = {},
) {
  const { session, steps } = sessionOf({
    agentId: '1',
    now: time,
    deadlineAt,
    board: { calls: [open] },
    spec: { topology: SMALL_TOPOLOGY, ...(repair && { repair: true }) },
  });
  Object.assign(session.role, { diagnostic: () => ['fix'] });
  const result = await act(runTools, session, { tools: tools(), log });
  const events = steps.flatMap((step) => step.events);
  return { session, events, result, open: session.board.calls[0] };
}

const waiting = (expires = NOW + 600_000): OpenCall =>
  call({ approval: { approval_id: 't1', expires_at: expires } });

const decided = (decision: 'approve' | 'deny', reason?: string) => {
  const event: DraftEvent = {
    name: 'system.decision',
    source: null,
    data: {
      approval_id: 't1',
      decision,
      by: 'ann',
      message: 'm',
      ...(reason !== undefined && { reason }),
    },
  };
  return log.note('run', [event]);
};

describe('a call that changes its target', () => {
  it('asks, and gives its slot back', async () => {
    const { events, result, open } = await run(call());
    expect(events).toMatchObject([
      {
        name: 'system.approval',
        data: {
          approval_id: 't1',
          tool: 'fix',
          args: { node: 'db' },
          node: 'db',
          message: 'Fix The db.',
          risk: 'It may break.',
          expires_at: new Date(NOW + 600_000).toISOString(),
          args_digest: digestOfCall({ tool: 'fix', args: { node: 'db' }, message: 'Fix The db.' }),
        },
      },
    ]);
    expect(result).toEqual({ outcome: 'wait', parked: { ms: 15_000 } });
    expect(open?.approval).toEqual({ approval_id: 't1', expires_at: NOW + 600_000 });
    expect(made).toEqual([]);
  });

  it.each<[string, DraftEvent[]]>([
    ['nothing was measured', []],
    ['it was measured well', [looked({ issues: [] })]],
    ['it has only a remark', [looked({ issues: [{ ...down, severity: 'info' }] })]],
    [
      'it has only an advisory',
      [looked({ issues: [{ ...down, severity: 'warning', symptom: 'advisory' }] })],
    ],
    ['another node is unhealthy', [looked({ issues: [down] }, { node: 'web' })]],
    ['the whole system was looked at', [looked({ issues: [down] }, { measures: 'system' })]],
    [
      'a later look found it well',
      [looked({ issues: [down] }), looked({ issues: [] }, { tool_call_id: 'd1_1_t2' })],
    ],
  ])('is refused without a question if %s', async (_, events) => {
    log = new MemoryLog(undefined, () => time);
    await log.create('run', spec, [started, ...events]);
    const { events: recorded, session } = await run(call());
    expect(recorded).toMatchObject([
      {
        name: 'llm.tool_result',
        data: { status: 'error', result: { error: expect.stringMatching(/^Measure db first: /) } },
      },
    ]);
    expect(session.messages).toMatchObject([{ role: 'result', failed: true, refused: true }]);
    expect(made).toEqual([]);
  });

  it('waits until there is a decision, at most until the time is up', async () => {
    time = NOW + 595_000;
    const { events, result } = await run(waiting());
    expect([events, result]).toEqual([[], { outcome: 'wait', parked: { ms: 5_000 } }]);
  });

  it('is made after the approval, which is recorded before it is made', async () => {
    await decided('approve');
    const { events, result, session } = await run(waiting());
    expect(result).toEqual({ outcome: 'success' });
    expect(made).toEqual(['run.t1']);
    expect(events).toMatchObject([
      {
        name: 'llm.tool_result',
        data: {
          status: 'ok',
          node: 'db',
          measures: 'records',
          approval: { approval_id: 't1', decision: 'approve', by: 'ann' },
        },
      },
    ]);
    expect(session.board.calls).toEqual([]);
  });

  it('is made by the next process if the first one died before it or in it', async () => {
    const started: OpenApproval = {
      approval_id: 't1',
      expires_at: NOW - 1,
      started: { by: 'ann' },
    };
    const { events } = await run(call({ approval: started }));
    expect(made).toEqual(['run.t1']);
    expect(events).toMatchObject([{ data: { status: 'ok', approval: { by: 'ann' } } }]);
  });

  it.each([
    ['deny', 'not now', 'ann refused it: not now'],
    ['deny', undefined, 'ann refused it.'],
  ] as const)('is denied after %s', async (decision, reason, error) => {
    await decided(decision, reason);
    const { events } = await run(waiting());
    expect(events).toMatchObject([
      {
        data: {
          status: 'denied',
          result: { error, code: 'APPROVAL_DENIED' },
          node: 'db',
          approval: { decision: 'deny', by: 'ann' },
        },
      },
    ]);
    expect(made).toEqual([]);
  });

  it('is denied when the time is up, which the log says', async () => {
    time = NOW + 600_001;
    const { events } = await run(waiting());
    expect(events).toMatchObject([
      { data: { status: 'denied', result: { code: 'APPROVAL_EXPIRED' } } },
    ]);
    const decision = await log.given('run', 'decision-t1');
    expect(decision?.data).toMatchObject({ decision: 'expired', by: null });
    expect(made).toEqual([]);
  });

  it('is not made after an approval that the log took too late', async () => {
    time = NOW + 600_001;
    await decided('approve');
    const { events } = await run(waiting());
    expect(events).toMatchObject([
      { data: { status: 'denied', approval: { decision: 'expired' } } },
    ]);
    expect(made).toEqual([]);
  });

  it('keeps its approval if the process was lost while it ran, for the report', async () => {
    const started = { approval_id: 't1', expires_at: NOW + 600_000, started: { by: 'ann' } };
    const { events } = await run(call({ interrupted: true, approval: started }));
    const approval = { approval_id: 't1', decision: 'approve', by: 'ann' };
    expect(events).toMatchObject([{ data: { status: 'interrupted', node: 'db', approval } }]);
    expect(made).toEqual([]);
  });

  it('leaves the run time to report', async () => {
    const { events } = await run(call(), { deadlineAt: NOW + 20_000 });
    expect(events).toMatchObject([{ data: { expires_at: new Date(NOW + 15_000).toISOString() } }]);
    const late = await run(call(), { deadlineAt: NOW + 4_000 });
    expect(late.events).toMatchObject([{ data: { status: 'denied' } }]);
  });

  it.each<[string, OpenCall, object, RegExp]>([
    ['in a run that may not repair', call(), { repair: false }, /may not change anything/],
    ['for a node that it does not fit', call({ args: { node: 'web' } }), {}, /cannot change web/],
    ['with arguments that are wrong', call({ args: { node: 'db', how: 7 } }), {}, /how/],
  ])('is refused without a question %s', async (_, open, options, error) => {
    const { events } = await run(open, options);
    expect(events).toMatchObject([
      {
        name: 'llm.tool_result',
        data: { status: 'error', result: { error: expect.stringMatching(error) } },
      },
    ]);
    expect(made).toEqual([]);
  });
});

it('digests a call and its target, whatever the order of its arguments', () => {
  const digest = (args: object, message = 'Fix it.') =>
    digestOfCall({ tool: 'fix', args: args as never, message });
  expect(digest({ a: 1 })).not.toBe(digest({ a: 1 }, 'Fix another.'));
  expect(digest({ a: 1, b: { c: 2, d: [3] } })).toBe(digest({ b: { d: [3], c: 2 }, a: 1 }));
  expect(digest({ a: 1 })).not.toBe(digest({ a: 2 }));
});
