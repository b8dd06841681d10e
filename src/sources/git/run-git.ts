import { access, constants, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SourceError } from '../http/source-error.js';
import { runCommand } from '../machine/run-command.js';

/** Maximum bytes of the output of one command. */
const MOST_BYTES = 256 * 1024;

/**
 * Settings of a repository that would run a program or use much memory. Only plumbing commands are
 * run, which read no other setting that does. A folder that belongs to another user is read, since
 * the operator lists it.
 */
const SETTINGS = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'safe.directory': '*',
  // A larger file has no diff.
  'core.bigFileThreshold': '1m',
};

/**
 * Nothing of the user and the machine, and no network: a partial clone would fetch missing files.
 */
const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_LITERAL_PATHSPECS: '1',
};

/**
 * Runs a command in the repository in one folder.
 * @throws SourceError; the signal's reason
 */
export type Git = (args: readonly string[], signal: AbortSignal) => Promise<string>;

/**
 * Opens a repository for reading by the program `git` (2.31 or later): a clone or a bare one.
 * Nothing is written or fetched.
 * @param path of its folder; a folder inside of it is refused
 * @throws SourceError `refused` where this process may not read it
 */
export async function openGit(path: string): Promise<Git> {
  const folder = await realpath(path).catch(refuse);
  await access(folder, constants.R_OK | constants.X_OK).catch(refuse);
  const env = { ...ENVIRONMENT, GIT_CEILING_DIRECTORIES: dirname(folder) };
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return async (args, signal) => {
    const command = ['git', '--no-pager', ...settings, ...args];
    const given = { folder, env, most: MOST_BYTES, signal };
    const { code, stdout, stderr, isCut } = await runCommand(command, given).catch(notStarted);
    if (code === 0 || isCut) return stdout;
    const failure = /permission denied|dubious ownership/i.test(stderr) ? 'refused' : 'failed';
    throw new SourceError(failure, `git: ${stderr.trim().slice(0, 200)}`);
  };
}

function refuse(error: unknown): never {
  const { code } = error as { code?: unknown };
  if (code === 'EACCES' || code === 'EPERM')
    throw new SourceError('refused', 'this process may not read the folder');
  throw new SourceError('failed', `the folder cannot be read (${String(code)})`);
}

function notStarted(error: unknown): never {
  if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
  throw new SourceError('failed', 'git is not installed on this machine');
}
