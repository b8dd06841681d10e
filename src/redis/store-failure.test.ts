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
