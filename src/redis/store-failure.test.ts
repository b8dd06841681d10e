import { expect, it } from '@jest/globals';
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
  for (const error of [denied, denied, new Error('Connection is closed.'), 'NOPERM'])
    reportDenied(error, logger);
  expect(lines).toEqual([expect.stringContaining("permissions to run the 'xadd' command")]);
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

it('says what to do about a wrong password', () => {
  const lines: string[] = [];
  reportDenied(new Error('WRONGPASS invalid username-password pair or user is disabled.'), {
    error: (line) => void lines.push(line),
  });
  expect(lines).toEqual([
    'Redis denies this service access: WRONGPASS invalid username-password pair or user is disabled. Requests fail with 503. Correct the user and the password in REDIS_URL.',
  ]);
});
