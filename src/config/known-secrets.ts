/** Shorter secrets would match ordinary text. UTF-16 code units. */
const LEAST = 8;
const MOST = 1_000;

/** In order of their last use. */
const known = new Set<string>();
let listed: readonly string[] = [];

/**
 * Remembers a secret that this process has resolved, so that it is never logged, recorded or sent
 * to a model. Of more than 1,000 the one that was used longest ago is forgotten.
 */
export function rememberSecret(value: string): void {
  if (value.length < LEAST) return;
  const isNew = !known.delete(value);
  known.add(value);
  if (!isNew) return;
  const [oldest] = known;
  if (known.size > MOST && oldest !== undefined) known.delete(oldest);
  listed = [...known];
}

/** The secrets of this process: the same array as long as they are the same. */
export const knownSecrets = (): readonly string[] => listed;
