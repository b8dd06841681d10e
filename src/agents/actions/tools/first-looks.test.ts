import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import {
  sessionOf,
  turnOf,
  type SessionSketch,
} from '../../../../test/support/models/agent-session.js';
import { triesArgument } from '../../../tools/arguments.js';
import type { Tool } from '../../../tools/tool.js';
import { ToolRegistry } from '../../../tools/tool-registry.js';
import { firstLookLeftOut, openForService } from './first-looks.js';

const tools = new ToolRegistry();
const looking: Tool = {
  name: 'look',
  description: 'Looks',
  access: 'read',
  repeatable: true,
  subject: ['path'],
  args: z.strictObject({ node: z.string(), path: z.string().optional(), tries: triesArgument }),
  measures: () => 'service',
  appliesTo: ({ id }) => id === 'web',
  argsFor: ({ id }) => ({ node: id, tries: 3 }),
  run: () => Promise.reject(new Error('not called')),
};
tools.add(looking);
tools.add({ ...looking, name: 'search', onDemand: () => true });
tools.add({ ...looking, name: 'restart', access: 'change' });

const LOOK = { tool: 'look', args: { node: 'web', tries: 3 } };
const topologyWith = (names: string[]): SessionSketch['spec'] => {
  const { topology } = sessionOf().session.spec;
  const teams = topology.teams.map((team) => ({
    ...team,
    workers: team.workers.map((worker) => ({ ...worker, tools: names })),
  }));
  return { topology: { ...topology, teams } };
};
/** What is left out by a worker whose model has ended its work. */
const leftOut = ({ board, ...sketch }: SessionSketch) =>
  firstLookLeftOut(sessionOf({ ...sketch, board: { stop: true, ...board } }).session, tools);

describe('the first look of a worker', () => {
  it('has the calls that read and that need no reason, of its own node', () => {
    const spec = topologyWith(['look', 'search', 'restart', 'unknown']);
    expect(leftOut({ ...(spec && { spec }) })).toEqual([LOOK]);
    expect(leftOut({ agentId: '4' })).toEqual([]);
    expect(leftOut({ agentId: '2' })).toEqual([]);
  });

  it('is left out only by a model that ended its work: not before, not at a limit, not if it failed', () => {
    expect(leftOut({ board: { stop: false } })).toEqual([]);
    expect(leftOut({ board: { reasons: ['LIMIT_REACHED'] } })).toEqual([]);
    expect(leftOut({ board: { failed: true } })).toEqual([]);
  });

  it('is opened under the next ids, as calls of the service', () => {
    const { session } = sessionOf({ board: { stop: true, toolCalls: 4 } });
    const { state, events, messages } = openForService(session.draft(), [LOOK]);
    expect(state.calls).toEqual([{ tool_call_id: 'd1_1_t5', by_service: true, ...LOOK }]);
    expect(events).toMatchObject([
      { name: 'llm.tool_call', data: { tool_call_id: 'd1_1_t5', by_service: true } },
    ]);
    expect(messages).toEqual([
      { role: 'assistant', byService: true, text: '', calls: [{ id: 'd1_1_t5', ...LOOK }] },
    ]);
    expect(session.board.calls).toEqual([]);
  });

  it.each<[string, object, boolean]>([
    ['as the first look does', { node: 'web', tries: 3 }, true],
    ['as often as by default', { node: 'web' }, true],
    ['more often', { node: 'web', tries: 9 }, true],
    ['often, in words', { node: 'web', tries: '3' }, true],
    ['with fewer tries', { node: 'web', tries: 1 }, false],
    ['at a neighbour', { node: 'db' }, false],
    ['at another subject', { node: 'web', path: '/ok' }, false],
    ['with wrong arguments', { node: 'web', tries: 'no' }, false],
  ])('is made by a worker that looked %s: %j, %s', (_, args, isMade) => {
    const looked = { tool: 'look', args, output: { status: 'ok' } };
    expect(leftOut({ messages: turnOf(looked) })).toHaveLength(isMade ? 0 : 1);
    expect(leftOut({ messages: turnOf({ ...looked, refused: true, failed: true }) })).toEqual([
      LOOK,
    ]);
    const open = { tool_call_id: 't1', tool: 'look', args: args as typeof LOOK.args };
    expect(leftOut({ board: { calls: [open] } })).toHaveLength(isMade ? 0 : 1);
    expect(leftOut({ board: { calls: [{ ...open, fault: 'too many' }] } })).toEqual([LOOK]);
  });

  it.each(['ok', 'degraded', 'failed'])('is not made by one try that measured %s', (status) => {
    const looked = { tool: 'look', args: { node: 'web', tries: 1 }, output: { status } };
    expect(leftOut({ messages: turnOf(looked) })).toEqual([LOOK]);
  });

  it('is left out or made with all its tries, whatever a model has called', () => {
    const anyCall = fc.record({
      tool: fc.constantFrom('look', 'search', ''),
      args: fc.oneof(
        fc.object({ maxDepth: 2 }),
        fc.record(
          {
            node: fc.constantFrom('web', 'db', 'nowhere'),
            path: fc.constantFrom('/', '/ok'),
            tries: fc.constantFrom<number | string>(0, 1, 2, 3, 9, '3', 'x'),
          },
          { requiredKeys: [] },
        ),
      ),
      output: fc.oneof(fc.jsonValue(), fc.constantFrom({ status: 'ok' }, { status: 'unknown' })),
    });
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 5 }), (calls) => {
        const isMade = calls.some(
          ({ tool, args: { node, path, tries = 3 } }) =>
            tool === 'look' && node === 'web' && path === undefined && Number(tries) >= 3,
        );
        expect(leftOut({ messages: turnOf(...calls) })).toEqual(isMade ? [] : [LOOK]);
      }),
    );
  });
});
