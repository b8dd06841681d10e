import { describe, expect, it } from '@jest/globals';
import {
  logs,
  NotificationScene,
  probe,
  report,
  say,
} from '../support/models/notification-scene.js';

const notified = new NotificationScene();
const { models } = notified;

describe('rules of a user', () => {
  it('see the events of every agent at every hook', async () => {
    for (const trigger of [
      'query_start',
      'turn_start',
      'turn_end',
      'tool_call',
      'tool_complete',
      'tool_failure',
      'session_end',
    ])
      notified.rule(
        { id: trigger.replace('_', '-'), trigger: `on_${trigger}` },
        'true',
        say('{{event.type}} {{result.tool_name}}'),
      );
    const events = await notified.run(null, { RULES_DIR: notified.rulesDir });
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
    // Once in each dispatch: the worker was dispatched again because one of its tools returned no
    // result.
    const sent = events.filter(({ key }) => key === 'dispatch.worker').length;
    for (const type of ['query.start', 'session.end'])
      expect(seen.filter((line) => line.startsWith(`worker ${type}`))).toHaveLength(sent);
    expect(events.at(-1)?.key).toBe('lifecycle.completed');
  });

  it('notify the model, keep state, and emit events for subscribers and persons', async () => {
    notified.rule(
      { id: 'count', trigger: 'on_tool_failure', priority: 300 },
      '!has(state.seen)',
      'type = "set_state"\nkey = "seen"\nvalue = "{{result.tool_name}}"',
    );
    notified.rule(
      { id: 'stale', trigger: 'on_tool_failure' },
      'state.seen == "broken_probe"',
      'type = "emit_event"\nevent_type = "cache.cold"\n[action.payload]\nwhat = "{{state.seen}}"',
    );
    notified.rule(
      { id: 'note', trigger: 'on_tool_failure' },
      'failure_count("broken_probe") == 1',
      'type = "notify_self"\ncategory = "warning"\ndeliver_at = "after_tool"\nmessage = "try {{topology.name}}"',
    );
    models.write(
      'subscribers/cold.toml',
      '[subscriber]\nid = "cold"\nname = "Cold"\ndescription = "x"\nversion = "1.0.0"\n[events]\ntypes = ["cache.*"]\nseverity_filter = "info"\n[output]\ninject_at = "after_tool"\ntemplate = "cold: {{payload.what}}"\n',
    );
    const events = await notified.run(
      { worker: [probe, report] },
      { RULES_DIR: notified.rulesDir, SUBSCRIBERS_DIR: notified.subscribersDir },
    );
    const told = notified.texts('worker')[1];
    expect(told).toContain('cold: broken_probe');
    expect(told).toMatch(/warning: try Topology \d+/);
    expect(logs(events, 'AGENT_SELF_NOTIFY')).toEqual([
      expect.stringMatching(/^worker warning: try Topology/),
    ]);
  });

  it('are those from the start of the run, in any process', async () => {
    notified.rule({ id: 'one', trigger: 'on_query_start' }, 'true', say('of the one'));
    const first = await models.service({
      MODEL: 'runbook',
      ROLE: 'api',
      RULES_DIR: notified.rulesDir,
    });
    notified.rule({ id: 'one', trigger: 'on_query_start' }, 'true', say('of the other'));
    await models.service({ MODEL: 'runbook', ROLE: 'worker', RULES_DIR: notified.rulesDir });
    const seen = logs(await models.diagnose(first, await models.shop()));
    expect(new Set(seen.map((line) => line.split(' ').slice(1).join(' ')))).toEqual(
      new Set(['of the one']),
    );
    expect(seen.length).toBeGreaterThanOrEqual(3);
  });

  it('that fail or time out cause a warning; the other rules and the run continue', async () => {
    notified.rule(
      { id: 'missing', trigger: 'on_tool_complete', priority: 900 },
      'state.nope > 1',
      say('x'),
    );
    notified.rule(
      { id: 'slow', trigger: 'on_tool_complete', priority: 800 },
      '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!".matches("^(a+)+$")',
      say('x'),
    );
    notified.rule(
      { id: 'fine', trigger: 'on_tool_complete' },
      'result.success && result.result.status == "ok"',
      say('fine'),
    );
    const events = await notified.run(null, { RULES_DIR: notified.rulesDir });
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
