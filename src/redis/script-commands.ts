import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** The Lua of the commands that connections of this process define: a fixed number of texts. */
const defined = new Set<string>();

/** Remembers the scripts that a connection defines, so that an error in one can be explained. */
export function rememberScripts(redis: Pick<Redis, 'defineCommand'>): void {
  const define = redis.defineCommand.bind(redis);
  redis.defineCommand = (name, definition) => {
    defined.add(definition.lua);
    define(name, definition);
  };
}

/** How Redis 7.0 names the place of an error in a script. */
const PLACE = /\bscript: ([0-9a-f]{40}), on @user_script:(\d+)/;
const CALL = /\br?(?:redis\.p?)?call\(\s*['"]([A-Za-z]+)['"]/g;

/**
 * The commands of the line of a script that an error names: Redis 7.0 does not say which of its
 * commands was denied.
 * @returns in upper case; none if the error is of no script, or of an unknown one
 */
export function commandsOfScript(error: Error): string[] {
  const [, sha, line] = PLACE.exec(error.message) ?? [];
  if (sha === undefined) return [];
  const { command } = error as { command?: { name?: string; args?: unknown[] } };
  const sent = command?.name === 'eval' ? [String(command.args?.[0])] : [];
  const script = [...sent, ...defined].find(
    (lua) => createHash('sha1').update(lua).digest('hex') === sha,
  );
  const text = script?.split('\n')[Number(line) - 1] ?? '';
  return [...new Set([...text.matchAll(CALL)].map(([, name = '']) => name.toUpperCase()))];
}
