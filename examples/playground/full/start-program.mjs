import { chownSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromBuild } from '../from-build.mjs';

/** s until a program must be ready: RabbitMQ takes some twenty on two cores. */
const MOST_SECONDS = 120;

/** What runs a command as another user, if this process is root. */
export const asUser = (user) =>
  user === undefined || process.getuid?.() !== 0
    ? []
    : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--'];

/** A folder that a user may write to. */
export function folderOf(parent, name, user) {
  const folder = join(parent, name);
  mkdirSync(folder);
  give(folder, user);
  return folder;
}

/** Gives a file to a user, if this process is root. */
export function give(path, user) {
  if (user === undefined || process.getuid?.() !== 0) return;
  const idOf = (option) => Number(spawnSync('id', [option, user], { encoding: 'utf8' }).stdout);
  chownSync(path, idOf('-u'), idOf('-g'));
}

/**
 * Starts a program that ends with this process, and waits until it is ready.
 *
 * @param {{name: string, command: string[], env?: Record<string, string>, folder: string, user?:
 *   string, isReady: () => Promise<boolean>}} program
 * @returns {Promise<{stop: () => Promise<void>}>}
 */
export async function startProgram({ name, command, env = {}, folder, user, isReady }) {
  const { startGuarded } = await fromBuild('local/guarded-process');
  const log = join(folder, `${name}.log`);
  const output = openSync(log, 'a');
  const pairs = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const program = startGuarded([...asUser(user), 'env', ...pairs, ...command], { output });
  closeSync(output);
  let code;
  void program.ended.then((ended) => (code = ended));
  for (let tries = 0; tries < MOST_SECONDS * 5; tries += 1) {
    if (await isReady()) return program;
    if (code !== undefined) break;
    await sleep(200);
  }
  await program.stop();
  const end = readFileSync(log, 'utf8').slice(-2000);
  const what = code === undefined ? 'was not ready in time' : `ended with ${code}`;
  throw new Error(`${name} ${what}:\n${end}`);
}

/** Whether a URL answers 2xx. */
export const answers = (url, headers = {}) =>
  fetch(url, { headers }).then(
    (answer) => answer.ok,
    () => false,
  );
