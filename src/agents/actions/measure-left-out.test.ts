import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { act, sessionOf, type SessionSketch } from '../../../test/support/models/agent-session.js';
import type { JsonObject } from '../../lib/json.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import type { Tool } from '../../tools/tool.js';
import { ToolRegistry } from '../../tools/tool-registry.js';
import { measureLeftOut } from './measure-left-out.js';

const fine = { status: 'ok' as const, summary: 'fine', measurements: {}, issues: [] };
const look: Tool = {
  name: 'look',
  description: 'Looks',
  access: 'read',
  repeatable: true,
  args: z.strictObject({ node: z.string() }),
  measures: () => 'service',
  appliesTo: () => true,
  argsFor: ({ id }) => ({ node: id }),
  run: async () => fine,
};

/** The calls that the agent at the top makes before it concludes, and their results. */
async function made({ run, ...sketch }: SessionSketch & Partial<Pick<Tool, 'run'>> = {}) {
  const tools = new ToolRegistry();
  for (const more of [
    {},
    { name: 'search', onDemand: () => true },
    { name: 'restart', access: 'change' as const },
  ])
    tools.add({ ...look, ...(run && { run }), ...more });
  const plain = sessionOf().session.spec;
  const teams = plain.topology.teams.map((team) => ({
    ...team,
    workers: team.workers.map((worker) => ({ ...worker, tools: ['look', 'search', 'restart'] })),
  }));
  const spec = { ...plain, topology: { ...plain.topology, teams } };
  const log = new MemoryLog();
  await log.create('run', spec, []);
  const { session, steps } = sessionOf({ agentId: '1', spec, ...sketch });
  const { outcome } = await act(measureLeftOut, session, { tools, log });
  const events = steps.flatMap((step) => step.events);
  const of = (name: string) =>
    events.filter((event) => event.name === name).map(({ data }) => data as JsonObject);
  return {
    outcome,
    calls: of('llm.tool_call'),
    results: of('llm.tool_result'),
    session,
    warnings: of('system.warning'),
  };
}

describe('A2, A3: before a run is concluded', () => {
  it('the service measures the nodes that no agent measured, with the reading tools of their workers', async () => {
    const { outcome, calls, results, session } = await made();
    const byService = { tool: 'look', by_service: true };
    expect(calls).toMatchObject([
      { ...byService, args: { node: 'web' } },
      { ...byService, args: { node: 'db' } },
    ]);
    expect(results).toMatchObject([
      { ...byService, node: 'web', status: 'ok' },
      { ...byService, node: 'db', status: 'ok' },
    ]);
    expect([outcome, session.board.calls]).toEqual(['success', []]);
  });

  it('makes the calls that are on record, after a process that died', async () => {
    const open = {
      tool_call_id: 't7',
      tool: 'look',
      args: { node: 'db' },
      by_service: true as const,
    };
    const { calls, results } = await made({ board: { calls: [open] } });
    expect(calls).toEqual([]);
    expect(results).toMatchObject([{ tool_call_id: 't7', node: 'db', status: 'ok' }]);
  });

  it('measures nothing for the built-in planner, or after the time of the run', async () => {
    const free = { name: 'rules', isFree: true, contextWindow: 1 } as never;
    expect((await made({ chain: [free] })).calls).toEqual([]);
    expect((await made({ deadlineAt: Date.now() - 1 })).calls).toEqual([]);
  });

  it('the report is partial if a call gave no result, or the time of the run was up', async () => {
    const reasons = async (sketch: Parameters<typeof made>[0]) => {
      const { session, warnings } = await made(sketch);
      return [
        session.board.reasons,
        warnings.filter(({ code }) => code === 'LIMIT_REACHED').length,
      ];
    };
    const broken = () => Promise.reject(new Error('no answer'));
    const hung = () => new Promise<never>(() => undefined);
    expect(await reasons({})).toEqual([[], 0]);
    expect(await reasons({ run: broken })).toEqual([['TOOL_FAILED'], 0]);
    expect(await reasons({ run: hung, deadlineAt: Date.now() + 300 })).toEqual([
      ['LIMIT_REACHED'],
      1,
    ]);
    expect(await reasons({ deadlineAt: Date.now() - 1 })).toEqual([['LIMIT_REACHED'], 1]);
  });
});
