import { expect, test } from '@jest/globals';
import { issueKind } from '../../domain/diagnosis/issue-kind.js';
import { refusalIssue } from './redis-refusal.js';

test.each([
  [
    'WRONGPASS invalid username-password pair or user is disabled.',
    'refuses the password (WRONGPASS)',
    'auth',
  ],
  ['ERR invalid password', 'refuses the password', 'auth'],
  ['NOAUTH Authentication required.', 'wants a password (NOAUTH)', 'auth'],
  [
    "NOPERM User guest has no permissions to run the 'ping' command",
    'the user has no permission (NOPERM)',
    'auth',
  ],
  [
    'LOADING Redis is loading the dataset in memory',
    'still loading its data (LOADING)',
    'exception',
  ],
  ['BUSY Redis is busy running a script.', 'busy with a script (BUSY)', 'exception'],
  [
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'has lost its master (MASTERDOWN)',
    'infrastructure',
  ],
  [
    'MISCONF Errors writing to the AOF file: No space left on device',
    'cannot save its data to disk (MISCONF)',
    'volume',
  ],
  [
    "OOM command not allowed when used memory > 'maxmemory'.",
    'refuses commands (OOM)',
    'out-of-memory',
  ],
  ["READONLY You can't write against a read only replica.", 'only reads (READONLY)', 'config'],
  ['CLUSTERDOWN Hash slot not served', 'its cluster is down (CLUSTERDOWN)', 'infrastructure'],
  [
    'DENIED Redis is running in protected mode',
    'refuses clients from other machines (DENIED)',
    'config',
  ],
  [
    'ERR max number of clients reached',
    'all client connections are in use',
    'connection-pool-exhausted',
  ],
  ['ERR DB index is out of range', 'has no such database', 'config'],
  ["ERR unknown command 'PING'", 'refuses PING', 'exception'],
])('a refusal that Redis documents chooses title and kind: %s', (refusal, title, kind) => {
  const issue = refusalIssue(refusal);
  expect(issue.title).toBe(title);
  expect(issue.detail).toContain(`It said: "${refusal}".`);
  expect(issueKind(issue)).toBe(kind);
});

test.each([
  'CRASHLOOP',
  'CRASHLOOP max number of clients reached',
  'CRASHLOOP DB index, invalid password',
  'DISKFULL no space left on device',
  'OOMKILLED',
  'NOAUTHX, WRONGPASS',
  'constructor',
  'ERR certificate has expired',
])('any other code is text, and chooses no kind: %s', (refusal) => {
  const issue = refusalIssue(refusal);
  expect(issue).toMatchObject({ symptom: 'erroring', title: 'refuses PING' });
  expect(issue.detail).toContain(`It said: "${refusal}".`);
  expect(issueKind(issue)).toBe('exception');
});

test.each([
  ['LOADING Redis is loading the dataset in memory', 'loading'],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'replica'],
  ['ERR DB index is out of range', 'no-database'],
  ['BUSY Redis is busy running a script.', undefined],
])('a refusal that tells more than its kind names its steps: %s', (refusal, steps) => {
  expect(refusalIssue(refusal).steps).toBe(steps);
});
