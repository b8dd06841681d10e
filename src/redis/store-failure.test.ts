import { expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { rememberScripts } from './script-commands.js';
import { isStoreFailure, reportDenied } from './store-failure.js';

it.each([
  ['OOM command not allowed when used memory > maxmemory', true],
  ['Connection is closed.', true],
  ["NOPERM User shop has no permissions to run the 'evalsha' command", true],
  [
    "ERR The user executing the script can't run this command or subcommand script: 0f, on @user_script:5.",
    true,
  ],
  ["ACL failure in script: User x has no permissions to run the 'xadd' command", true],
  [
    "EXECABORT Transaction discarded because of: NOPERM this user has no permissions to run the 'exec' command",
    true,
  ],
  ['NOAUTH Authentication required.', true],
  ['WRONGPASS invalid username-password pair or user is disabled.', true],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', false],
])('classifies whether the store caused an error: %s', (message, expected) => {
  expect(isStoreFailure(new Error(message))).toBe(expected);
});

it('logs a missing permission once and ignores other errors', () => {
  const lines: string[] = [];
  const logger = { error: (line: string) => void lines.push(line) };
  const denied = new Error("NOPERM User x has no permissions to run the 'xadd' command");
  const atEnd = new Error(
    "EXECABORT Transaction discarded because of: NOPERM this user has no permissions to run the 'exec' command",
  );
  for (const error of [denied, denied, new Error('Connection is closed.'), 'NOPERM', atEnd, atEnd])
    reportDenied(error, logger);
  expect(lines).toEqual([
    expect.stringContaining("permissions to run the 'xadd' command"),
    expect.stringContaining("permissions to run the 'exec' command"),
  ]);
});

it('logs one line for calls that differ in their keys and scripts only', () => {
  const lines: string[] = [];
  const logger = { error: (line: string) => void lines.push(line) };
  for (const run of [
    '01960d3c-5f2a-7cc0-8000-0123456789ab',
    '01960d3c-5f2a-7cc0-8000-ba9876543210',
  ])
    for (const message of [
      `NOPERM No permissions to access a key 'consilium:{${run}}:log'`,
      `ACL failure in script: User x has no permissions to run the 'zadd' command script: ${run.slice(0, 8)}, on @user_script:${run.length}.`,
    ])
      reportDenied(new Error(message), logger);
  expect(lines).toHaveLength(2);
});

it('logs one line for each missing right, however Redis names the key', () => {
  const lines: string[] = [];
  const logger = { error: (line: string) => void lines.push(line) };
  const keys = ['c500', '9cdf', 'a1b2', 'ffff'].map(
    (group) => `consilium:{01a21988-${group}-7abc-8def-0123456789${group.slice(2)}}:log`,
  );
  for (const key of keys)
    for (const message of [
      `NOPERM the user may not run the 'xrange' command on ${key} in a script`,
      `ERR The user executing the script can't run this command or subcommand on ${key}`,
    ])
      reportDenied(new Error(message), logger);
  expect(lines.map((line) => /Grant \S+/.exec(line)?.[0])).toEqual(['Grant +xrange', 'Grant the']);
});

it('names the commands of the line of a script in which Redis denies one', () => {
  const lines: string[] = [];
  const logger = { error: (line: string) => void lines.push(line) };
  const lua = `local n = redis.call('GET', KEYS[1])\nif n then redis.call("hset", KEYS[1], 'n', redis.call('INCR', KEYS[2])) end`;
  const connection = { defineCommand: () => undefined };
  rememberScripts(connection);
  (connection.defineCommand as (name: string, definition: { lua: string }) => void)('x', { lua });
  const deniedAt = (text: string, line: number) =>
    new Error(
      `ERR The user executing the script can't run this command or subcommand script: ${createHash('sha1').update(text).digest('hex')}, on @user_script:${line}.`,
    );
  const sent = deniedAt("redis.pcall('DEL', KEYS[1])", 1);
  Object.assign(sent, { command: { name: 'eval', args: ["redis.pcall('DEL', KEYS[1])"] } });
  for (const error of [deniedAt(lua, 1), deniedAt(lua, 2), sent, deniedAt('unknown', 1)])
    reportDenied(error, logger);
  expect(lines.map((line) => /Grant.*/.exec(line)?.[0])).toEqual([
    'Grant +get to the user in REDIS_URL (ACL SETUSER).',
    'Grant +hset or +incr to the user in REDIS_URL (ACL SETUSER).',
    'Grant +del to the user in REDIS_URL (ACL SETUSER).',
    'Grant the permission to the user in REDIS_URL (ACL SETUSER).',
  ]);
});

it('says what to do about a wrong password', () => {
  const lines: string[] = [];
  reportDenied(new Error('WRONGPASS invalid username-password pair or user is disabled.'), {
    error: (line) => void lines.push(line),
  });
  expect(lines).toEqual([
    'Redis denies this service access: WRONGPASS invalid username-password pair or user is disabled. Requests fail with 503 and runs wait. Correct the user and the password in REDIS_URL.',
  ]);
});
