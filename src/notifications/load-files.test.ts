import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rules } from './rules.js';
import { Subscribers } from './subscribers.js';

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

function folder(files: Record<string, string>): string {
  const path = mkdtempSync(join(tmpdir(), 'consilium-rules-'));
  folders.push(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const rule = (more = '', expression = 'true', action = 'type = "log"\nmessage = "hello"') =>
  `[rule]\nid = "mine"\nname = "Mine"\ndescription = "Of a user"\nversion = "1.0.0"\ntrigger = "on_turn_start"\n${more}\n[condition]\nexpression = '''${expression}'''\n\n[action]\n${action}\n`;

const subscriber = (id = 'mine', template = 'x') =>
  `[subscriber]\nid = "${id}"\nname = "Mine"\ndescription = "Of a user"\nversion = "1.0.0"\n\n[events]\ntypes = ["tool.*"]\n\n[output]\ntemplate = "${template}"\n`;

describe('the shipped files', () => {
  it('include the core rules and subscribers', () => {
    const subscribers = new Subscribers().loaded.map(({ value }) => value);
    expect(subscribers.map(({ subscriber: { id } }) => id)).toEqual([
      'budget_exceeded',
      'budget_warning',
      'context_limit',
      'loop_detected',
      'self_notify',
      'session_resumed',
      'source_stale',
      'task_checkpoint',
      'tool_failure',
    ]);
    const how = subscribers.map(
      ({ output: { priority, inject_at, core } }) =>
        `${priority} ${inject_at}${core ? ' core' : ''}`,
    );
    expect(how).toEqual([
      'critical immediate core',
      'high turn_start core',
      'high turn_start core',
      'critical immediate core',
      'normal turn_start',
      'normal turn_start',
      'normal after_tool core',
      'normal turn_start',
      'high after_tool core',
    ]);
    expect(new Rules().active.map(({ rule: { id } }) => id)).toEqual([
      'context-usage',
      'iteration-budget',
      'token-budget',
      'repeated-failures',
      'large-result',
      'query-start',
    ]);
  });
});

describe("a user's files", () => {
  it('add to the shipped files and replace those that are not core', () => {
    const loaded = new Subscribers(
      folder({ 'a.toml': subscriber(), 'b.toml': subscriber('self_notify') }),
    ).loaded;
    expect(
      loaded.filter(({ origin }) => origin === 'user').map(({ value }) => value.subscriber.id),
    ).toEqual(['self_notify', 'mine']);
    expect(loaded.length).toBe(10);
    const off = new Rules(folder({ 'a.toml': rule('enabled = false') }));
    expect([off.loaded.length, off.active.length]).toEqual([7, 6]);
  });

  it.each([
    [
      'a core subscriber',
      subscriber('tool_failure'),
      /a\.toml:2 subscriber\.id: is the id of a shipped core file/,
    ],
    [
      'a template with an unknown place',
      subscriber('mine', '{{env.KEY}}'),
      /a\.toml:11 output\.template: has the place "{{env\.KEY}}"/,
    ],
    [
      'an unknown key',
      `${subscriber()}colour = "red"\n`,
      /a\.toml:12 output\.colour: unknown key; allowed: /,
    ],
    ['an empty file', '', /a\.toml subscriber: is missing/],
    ['what is not TOML', '[subscriber\nid = 1', /a\.toml:1:\d+: is not valid TOML: /],
    [
      'a prototype name',
      `${subscriber()}[__proto__]\nx = 1\n`,
      /a\.toml:12:\d+: is not valid TOML: .*unsafe/,
    ],
    [
      'a template of 10 MB',
      subscriber('mine', 'x'.repeat(10_000_000)),
      /cannot be read: it has 10000\d+ bytes, more than the maximum of 65536/,
    ],
    ['deep nesting', `x = ${'['.repeat(10_000)}`, /a\.toml:1:\d+: is not valid TOML: /],
    [
      'a size out of bounds',
      `${subscriber()}\n[batching]\nmax_size = 1000\n`,
      /a\.toml:14 batching\.max_size: must be an integer from 1 to 100/,
    ],
  ])('refuses %s with file, line and reason', (_, text, message) => {
    expect(() => new Subscribers(folder({ 'a.toml': text }))).toThrow(message);
  });

  it.each([
    [
      'a misspelt name',
      rule('', 'turn.numbr > 1'),
      /a\.toml:9 condition\.expression: No such key: numbr \(at character 6/,
    ],
    [
      'a core rule that is off',
      rule('core = true\nenabled = false'),
      /a\.toml:2 rule\.id: is core/,
    ],
    [
      'an unknown action',
      rule('', 'true', 'type = "shell"'),
      /a\.toml:12 action\.type: must be one of notify_self, log/,
    ],
    [
      'a deep payload',
      rule(
        '',
        'true',
        'type = "emit_event"\nevent_type = "a.b"\npayload = { a = { b = { c = 1 } } }',
      ),
      /a\.toml:14 action\.payload/,
    ],
    [
      'an unknown trigger',
      rule().replace('on_turn_start', 'on_reboot'),
      /a\.toml:6 rule\.trigger: must be one of on_query_start/,
    ],
    [
      'a payload with a prototype name',
      rule('', 'true', 'type = "emit_event"\nevent_type = "a.b"\npayload = { __proto__ = 1 }'),
      /unsafe/,
    ],
    [
      'a state with a prototype name',
      rule('', 'true', 'type = "set_state"\nkey = "__proto__"\nvalue = 1'),
      /action\.key: must be a name/,
    ],
    ['deep nesting', `x = ${'{ a = '.repeat(10_000)}`, /a\.toml:1:\d+: is not valid TOML: /],
    [
      'a message of a thousand places',
      rule('', 'true', `type = "log"\nmessage = "${'{{turn.number}}'.repeat(1_000)}"`),
      /action\.message: has 15000/,
    ],
    [
      'an expression of 10 MB',
      rule('', `"${'a'.repeat(10_000_000)}" == ""`),
      /cannot be read: it has 10000\d+ bytes, more than the maximum of 65536/,
    ],
  ])('refuses %s with file, line and reason', (_, text, message) => {
    expect(() => new Rules(folder({ 'a.toml': text }))).toThrow(message);
  });

  it('reports both files with the same id', () => {
    expect(() => new Rules(folder({ 'a.toml': rule(), 'b.toml': rule() }))).toThrow(
      /b\.toml:2 rule\.id: is also the id of a\.toml/,
    );
  });

  it('reports a missing folder', () => {
    expect(() => new Rules('/nowhere/at/all')).toThrow('/nowhere/at/all cannot be read: ENOENT');
  });
});
