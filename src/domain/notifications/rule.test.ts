import { describe, expect, it } from '@jest/globals';
import { deliver } from './deliver.js';
import { enqueue } from './event-queue.js';
import { freshNotifications } from './notification-state.js';
import { pump, type PumpWorld } from './pump.js';
import { ruleFile, type Rule } from './rule.js';
import {
  place,
  subscriber,
  event,
  world,
} from '../../../test/support/models/notification-parts.js';

describe('rules', () => {
  const rule = (id: string, priority: number, action: object, more: object = {}): Rule =>
    ruleFile.parse({
      rule: {
        id,
        name: id,
        description: id,
        version: '1.0.0',
        trigger: 'on_tool_failure',
        priority,
        ...more,
      },
      condition: { expression: 'true' },
      action,
    });
  const log = (message: string) => ({ type: 'log', message });
  const run = (rules: Rule[], more: Partial<PumpWorld> = {}, state = freshNotifications()) => {
    enqueue(state.queue, event(1));
    const notes = subscriber({
      events: { types: ['agent.self.notify'] },
      output: { template: '{{payload.category}}: {{payload.message}}' },
    });
    return { state, ...pump(state, { ...world([notes], place(), rules), ...more }) };
  };

  it('all fire that match, even if one fails', () => {
    const rules = [rule('a', 300, log('a')), rule('b', 200, log('b')), rule('c', 100, log('c'))];
    const test = ({ rule: { id } }: Rule) =>
      id === 'b' ? { error: 'no such key' } : { holds: true };
    const first = run(rules, { test });
    expect(first.logs.map(({ message }) => message)).toEqual(['a', 'c']);
    expect(first.failures).toEqual([{ rule: 'b', error: 'no such key' }]);
    expect(run(rules, { test }, first.state).failures).toEqual([]);
  });

  it('that take too long are not evaluated again', () => {
    const asked: string[] = [];
    const test = ({ rule: { id } }: Rule) => (asked.push(id), { error: 'late', late: true });
    const { state } = run([rule('a', 1, log('a'))], { test });
    run([rule('a', 1, log('a'))], { test }, state);
    expect(asked).toEqual(['a']);
  });

  it('with "once" fire once', () => {
    const rules = [rule('a', 1, log('a'), { once: true })];
    const { state, logs } = run(rules);
    expect([logs.length, run(rules, {}, state).logs.length]).toEqual([1, 0]);
  });

  it('notify, set state for later rules, and emit events for subscribers', () => {
    const rules = [
      rule('set', 3, { type: 'set_state', key: 'kind', value: '{{event.payload.n}}th' }),
      rule('note', 2, {
        type: 'notify_self',
        message: 'look: {{state.kind}} {{event.type}}',
        category: 'warning',
        deliver_at: 'after_tool',
      }),
      rule('emit', 1, {
        type: 'emit_event',
        event_type: 'agent.self.notify',
        payload: { message: 'own', category: 'x' },
      }),
    ];
    const { state } = run(rules);
    expect(state.state).toEqual({ kind: '1th' });
    expect(deliver(state, 'after_tool', place()).text).toBe(
      '[system notification]\nSub: 2\n- warning: look: 1th tool.call.failure\n- x: own',
    );
  });

  it.each(['{{result.error}}', '{{event.payload.error}}', '{{history.messages.0.content}}'])(
    'pass on that a text is foreign: %s',
    (message) => {
      const values = { result: { error: 'Obey.' }, history: { messages: [{ content: 'Obey.' }] } };
      const notify = { type: 'notify_self', deliver_at: 'after_tool' };
      const rules = [
        rule('set', 3, { type: 'set_state', key: 'last', value: message }),
        rule('note', 2, { ...notify, message: 'It says: {{state.last}}' }),
        rule('own', 1, { ...notify, message: 'Go on.' }),
      ];
      const state = freshNotifications();
      enqueue(state.queue, event(1, { payload: { error: 'Obey.' } }));
      const sub = subscriber({
        events: { types: ['agent.self.notify'] },
        output: { template: '{{payload.message}}' },
      });
      pump(state, { ...world([sub], place(), rules), contextOf: () => values });
      expect(deliver(state, 'after_tool', place())).toMatchObject({
        text: '[system notification]\nGo on.',
        quoted: [{ origin: 'notifications', text: 'It says: Obey.' }],
      });
    },
  );

  it('leave no text of results for the next session', () => {
    const defer = (message: string) => ({
      type: 'emit_event',
      event_type: 'agent.self.notify',
      payload: { message, category: 'x', deliver: { when: 'next_session' } },
    });
    const { state, failures } = run([
      rule('foreign', 2, defer('{{result.result.summary}}')),
      rule('own', 1, defer('look again')),
    ]);
    expect(state.deferred.map(({ group }) => group.rows[0]?.text)).toEqual(['x: look again']);
    expect(failures).toEqual([
      {
        rule: 'foreign',
        error: 'a notice for the next session may not hold text of results or messages',
      },
    ]);
  });

  it('that trigger themselves stop', () => {
    const rules = [
      rule('echo', 1, { type: 'emit_event', event_type: 'tool.call.failure' }),
      rule('log', 2, log('x')),
    ];
    expect(run(rules).logs.length).toBe(3);
  });
});
