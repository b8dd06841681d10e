import { expect, it } from '@jest/globals';
import { expectValid } from '../support/event-stream.js';
import { modelScene } from '../support/model-scene.js';
import { answer, type Exchange } from '../support/provider-server.js';
import { runbookReply } from '../support/runbook-provider.js';
import { roleOf } from '../support/scripted-agents.js';
import { healthy, httpTarget } from '../support/target.js';
import { teamOfEach } from '../support/topology.js';

const scene = modelScene();
const NODES = ['a', 'b', 'c', 'd'];
const nodeOf = ({ body }: Exchange): string => /"node\\":\{\\"id\\":\\"(\w+)/.exec(JSON.stringify(body))?.[1] ?? '';

it('workers that would go on for ever, all at once, do not pass the budget together, each gets its part, and the head concludes', async () => {
  const { server } = scene;
  const turns = new Map<string, number>();
  server.otherwise = (exchange) => {
    if (roleOf(exchange) !== 'worker') return runbookReply(exchange);
    const node = nodeOf(exchange);
    const turn = (turns.get(node) ?? 0) + 1;
    turns.set(node, turn);
    const tool = turn % 2 === 0 ? 'tcp_probe' : 'http_probe';
    return answer({ call: tool, args: JSON.stringify({ node }) }, { end: 'tool-calls', usage: [300, 200] })(exchange);
  };
  const api = await scene.service({ ...scene.models({ m: { maxOutputTokens: 200 } }), WORKER_CONCURRENCY: '8' });
  const nodes = Object.fromEntries(await Promise.all(NODES.map(async (id) => [id, await httpTarget(scene.targets, healthy)] as const)));
  const run = await api.trigger(await api.store(teamOfEach(nodes)), { limits: { tokenBudget: 12_000, maxIterations: 50 } });
  const events = expectValid((await run.end(60_000)).text);

  const last = events.at(-1);
  expect(last).toMatchObject({ key: 'lifecycle.completed', data: { partial: true, reasons: expect.arrayContaining(['LIMIT_REACHED']) } });
  const { total_tokens } = last?.data['usage'] as { total_tokens: number };
  // Workers' part ends at 9,600.
  expect(total_tokens).toBeGreaterThan(8_000);
  expect(total_tokens).toBeLessThanOrEqual(12_000);
  const coded = (code: string) => events.filter(({ data }) => data['code'] === code && data['limit_type'] === 'token');
  expect([coded('LIMIT_WARNING').length, coded('LIMIT_REACHED').length]).toEqual([total_tokens >= 9_600 ? 1 : 0, 1]);
  // Half of the workers' part is shared out: two turns each, at least.
  expect([...turns.keys()].sort()).toEqual(NODES);
  expect(Math.min(...turns.values())).toBeGreaterThanOrEqual(2);
  // The head was asked for its conclusion, behind all workers.
  const roles = server.exchanges.map(roleOf);
  expect(roles.at(-1)).toBe('global_supervisor');
}, 90_000);
