import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { z } from 'zod';
import { textOf } from '../../src/lib/json.js';
import type { Tool } from '../../src/tools/tool.js';
import type { CheckedEvent } from '../support/event-stream.js';
import { ask } from '../support/chat.js';
import { modelScene } from '../support/model-scene.js';
import type { Say } from '../support/provider-frames.js';
import { answer, inTurn, pause } from '../support/provider-server.js';
import { roleOf, scriptedAgents, type Script } from '../support/scripted-agents.js';

const args = z.object({ node: z.string() });
/** One that never does its work. */
const broken: Tool = {
  name: 'broken_probe',
  description: 'It is broken.',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args,
  appliesTo: () => true,
  argsFor: ({ id }) => ({ node: id }),
  run: () => Promise.reject(new Error('no route\nto {{host}}')),
};

const logs = (events: CheckedEvent[], code = 'RULE_LOG') =>
  events
    .filter(({ data }) => data['code'] === code)
    .map(({ source, data }) => `${source.agent_type} ${textOf(data, 'message')}`);

const scene = modelScene();
const rulesDir = () => join(scene.folder, 'rules');

function rule(id: string, trigger: string, expression: string, action: string, more = ''): void {
  const head = `[rule]\nid = "${id}"\nname = "${id}"\ndescription = "For a test"\nversion = "1.0.0"\ntrigger = "${trigger}"\n${more}`;
  scene.write(
    `rules/${id}.toml`,
    `${head}\n[condition]\nexpression = '''${expression}'''\n[action]\n${action}\n`,
  );
}
const say = (message: string) => `type = "log"\nlevel = "warning"\nmessage = "${message}"`;

async function run(
  scripts: Partial<Record<'worker' | 'global_supervisor', Script>> | null,
  env: Record<string, string> = {},
  limits = {},
) {
  if (scripts) scene.server.otherwise = scriptedAgents(scripts);
  const api = await scene.service(
    { ...(scripts ? scene.hosted() : { MODEL: 'runbook' }), ...env },
    { tools: scripts ? [broken, hanging] : [broken] },
  );
  return scene.diagnose(api, await scene.shop(), limits);
}
const workerTexts = () =>
  scene.server.exchanges
    .filter((exchange) => roleOf(exchange) === 'worker')
    .map(({ body }) => JSON.stringify(body));
const report: Script[number] = [{ call: 'report', args: '{"summary":"Looked at.","findings":[]}' }];
const probe: Script[number] = [{ call: 'broken_probe', args: '{"node":"shop"}' }];

describe('an event inside an agent', () => {
  it('is visible to rules, at every hook, in every agent', async () => {
    for (const trigger of [
      'query_start',
      'turn_start',
      'turn_end',
      'tool_call',
      'tool_complete',
      'tool_failure',
      'session_end',
    ])
      rule(
        trigger.replace('_', '-'),
        `on_${trigger}`,
        'true',
        say('{{event.type}} {{result.tool_name}}'),
      );
    const events = await run(null, { RULES_DIR: rulesDir() });
    const seen = logs(events);
    for (const type of ['query.start', 'agent.turn.start', 'session.end'])
      for (const agent of ['worker', 'team_supervisor', 'global_supervisor'])
        expect(seen).toContain(`${agent} ${type}`);
    for (const type of [
      'tool.call.pending http_probe',
      'tool.call.success http_probe',
      'tool.call.failure broken_probe',
      'agent.turn.end',
    ])
      expect(seen).toContain(`worker ${type}`);
    // Once in each dispatch: the worker was dispatched again because one of its tools returned no result.
    const sent = events.filter(({ key }) => key === 'dispatch.worker').length;
    for (const type of ['query.start', 'session.end'])
      expect(seen.filter((line) => line.startsWith(`worker ${type}`))).toHaveLength(sent);
    expect(events.at(-1)?.key).toBe('lifecycle.completed');
  });

  it('reaches the model: a failed tool, after the results', async () => {
    await run({ worker: [probe, report] });
    const [first, second] = workerTexts();
    expect(first).not.toContain('[system notification]');
    expect(second).toContain(
      '[system notification]\\ntool_fail: broken_probe error - no route to {{host}}',
    );
  });

  it('reaches the model: a low budget, and the notice of a shipped rule', async () => {
    const look = (tool: string): Script[number] => [{ call: tool, args: '{"node":"shop"}' }];
    await run(
      { worker: [look('tcp_probe'), look('http_probe'), look('tcp_probe'), report] },
      {},
      { maxIterations: 4 },
    );
    const texts = workerTexts();
    expect(texts[0]).not.toContain('budget_warning');
    expect(texts[1]).toContain('budget_warning: Approaching iteration limit (2/4)');
    expect(texts[2]).toContain('budget: Turn 3 of 4');
    expect(texts[3]?.split('budget_warning')).toHaveLength(2);
  });
});

/** A tool that never returns. */
const hanging: Tool = { ...broken, name: 'hanging_probe', run: () => new Promise(() => undefined) };

describe('a subscriber to everything', () => {
  const seen = () =>
    new Set(
      scene.server.exchanges.flatMap(
        ({ body }) => JSON.stringify(body).match(/(?<=saw )[a-z.]+/g) ?? [],
      ),
    );
  const everything = () => {
    const head = '[subscriber]\nid = "all"\nname = "All"\ndescription = "x"\nversion = "1.0.0"\n';
    const rest = '[events]\ntypes = ["*"]\nseverity_filter = "debug"\n[batching]\nmax_size = 1\n';
    scene.write(
      'subscribers/all.toml',
      `${head}${rest}[output]\ninject_at = "immediate"\ntemplate = "saw {{type}}"\n`,
    );
    return { SUBSCRIBERS_DIR: join(scene.folder, 'subscribers') };
  };
  const call = (tool: string): Script[number] => [{ call: tool, args: '{"node":"shop"}' }];

  it('receives all events of agents', async () => {
    const turns = ['http_probe', 'broken_probe', 'http_probe', 'hanging_probe', 'http_probe'].map(
      call,
    );
    await run({ worker: [...turns, call('tcp_probe'), report] }, everything(), {
      maxIterations: 8,
      toolTimeoutSeconds: 1,
    });
    const types = [
      'query.start',
      'agent.turn.start',
      'agent.turn.end',
      'agent.loop.detected',
      'agent.self.notify',
    ];
    const tools = ['pending', 'success', 'failure', 'timeout'].map((how) => `tool.call.${how}`);
    const more = [
      'tool.batch.complete',
      'budget.iteration.warning',
      'subagent.start',
      'subagent.end',
      'task.checkpoint',
    ];
    for (const type of [...types, ...tools, ...more]) expect([...seen()]).toContain(type);
  });

  it('receives low time and low tokens', async () => {
    const late: Script[number] = inTurn(
      pause(16_200),
      answer(...(probe as Say[]), { end: 'tool-calls', usage: [70_000, 10] }),
    );
    await run({ worker: [late, report] }, everything(), {
      timeoutSeconds: 20,
      tokenBudget: 100_000,
    });
    for (const type of ['budget.timeout.warning', 'budget.token.warning'])
      expect([...seen()]).toContain(type);
  });
});

describe('notices about the work of agents', () => {
  const told = (role: string) =>
    scene.server.exchanges
      .filter((exchange) => roleOf(exchange) === role)
      .map(({ body }) => JSON.stringify(body));

  it('tell a supervisor that all dispatched agents have reported', async () => {
    await run({ worker: [report] });
    for (const role of ['team_supervisor', 'global_supervisor'])
      expect(told(role)[1]).toContain(
        'task_checkpoint: All dispatched agents have reported (1 ok); turn 1 of 15.',
      );
  });

  it('deliver a reminder at the requested time', async () => {
    const remind = (args: object): Script[number] => [
      { call: 'remind_self', args: JSON.stringify({ message: 'look again', ...args }) },
    ];
    const events = await run({
      worker: [
        remind({ when: 'after_n_turns' }),
        remind({ when: 'after_n_turns', turns: 2 }),
        probe,
        probe,
        report,
      ],
    });
    const texts = workerTexts();
    expect(texts[1]).toContain('after_n_turns needs turns.');
    expect(texts.map((text) => text.split('reminder: look again').length - 1)).toEqual([
      0, 0, 0, 1, 1,
    ]);
    const results = events.filter(
      ({ key, data }) => key === 'llm.tool_result' && data['tool'] === 'remind_self',
    );
    expect(results.map(({ data }) => data['status'])).toEqual(['error', 'ok']);
  });

  it('tell the oracle about a continued conversation and a diagnosis of an older topology', async () => {
    const api = await scene.service(scene.hosted());
    const topology = await scene.shop();
    const id = await api.store(topology);
    scene.server.otherwise = scriptedAgents({});
    const { runId } = await (await api.trigger(id)).end();
    await api.ask('PUT', `/topologies/${id}`, { body: { ...topology, name: 'Another name' } });
    scene.server.otherwise = scriptedAgents({
      oracle: [
        [{ text: 'Ask me.' }],
        [{ call: 'get_run', args: JSON.stringify({ run_id: runId }) }],
        [{ text: 'It was well.' }],
      ],
    });
    for (const message of ['Hello', 'How was it?'])
      await ask(`${api.url}/chat/stream`, { message, session_id: 'talk', topology_id: id });
    const [first, second, third] = told('oracle');
    expect(first).not.toContain('[system notification]');
    expect(second).toContain('session_resumed: the conversation continues; 2 earlier messages');
    expect(third).toContain(
      `source_stale: runs/${runId} is of version 1 of its topology, which is at 2 now`,
    );
  });
});

describe('rules of a user', () => {
  it('notify the model, keep state, and emit events for subscribers and persons', async () => {
    rule(
      'count',
      'on_tool_failure',
      '!has(state.seen)',
      'type = "set_state"\nkey = "seen"\nvalue = "{{result.tool_name}}"',
      'priority = 300',
    );
    rule(
      'stale',
      'on_tool_failure',
      'state.seen == "broken_probe"',
      'type = "emit_event"\nevent_type = "cache.cold"\n[action.payload]\nwhat = "{{state.seen}}"',
    );
    rule(
      'note',
      'on_tool_failure',
      'failure_count("broken_probe") == 1',
      'type = "notify_self"\ncategory = "warning"\ndeliver_at = "after_tool"\nmessage = "try {{topology.name}}"',
    );
    scene.write(
      'subscribers/cold.toml',
      '[subscriber]\nid = "cold"\nname = "Cold"\ndescription = "x"\nversion = "1.0.0"\n[events]\ntypes = ["cache.*"]\nseverity_filter = "info"\n[output]\ninject_at = "after_tool"\ntemplate = "cold: {{payload.what}}"\n',
    );
    const events = await run(
      { worker: [probe, report] },
      { RULES_DIR: rulesDir(), SUBSCRIBERS_DIR: join(scene.folder, 'subscribers') },
    );
    const told = workerTexts()[1];
    expect(told).toContain('cold: broken_probe');
    expect(told).toMatch(/warning: try Topology \d+/);
    expect(logs(events, 'AGENT_SELF_NOTIFY')).toEqual([
      expect.stringMatching(/^worker warning: try Topology/),
    ]);
  });

  it('are those from the start of the run, in any process', async () => {
    rule('one', 'on_query_start', 'true', say('of the one'));
    const first = await scene.service({ MODEL: 'runbook', ROLE: 'api', RULES_DIR: rulesDir() });
    rule('one', 'on_query_start', 'true', say('of the other'));
    await scene.service({ MODEL: 'runbook', ROLE: 'worker', RULES_DIR: rulesDir() });
    const seen = logs(await scene.diagnose(first, await scene.shop()));
    expect(new Set(seen.map((line) => line.split(' ').slice(1).join(' ')))).toEqual(
      new Set(['of the one']),
    );
    expect(seen.length).toBeGreaterThanOrEqual(3);
  });

  it('that fail or time out cause a warning; the other rules and the run continue', async () => {
    rule('missing', 'on_tool_complete', 'state.nope > 1', say('x'), 'priority = 900');
    rule(
      'slow',
      'on_tool_complete',
      '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("^(a+)+$")',
      say('x'),
      'priority = 800',
    );
    rule('fine', 'on_tool_complete', 'result.success && result.result.status == "ok"', say('fine'));
    const events = await run(null, { RULES_DIR: rulesDir() });
    const failed = logs(events, 'RULE_FAILED');
    // Each once in a dispatch.
    expect(failed).toHaveLength(2 * events.filter(({ key }) => key === 'dispatch.worker').length);
    expect(failed[0]).toContain('Rule "missing" could not be evaluated: No such key: nope');
    expect(failed[1]).toContain(
      'Rule "slow" could not be evaluated: the condition took more than 50 ms',
    );
    expect(logs(events)).toContain('worker fine');
    expect(events.at(-1)?.key).toBe('lifecycle.completed');
  });
});
