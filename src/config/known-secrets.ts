/** Shorter ones would also be found where they are none. UTF-16 code units. */
const LEAST = 8;
const MOST = 1_000;

const known = new Set<string>();

/** Remembers a secret that this process has resolved, so that it is never logged, recorded or sent to a model. */
export function rememberSecret(value: string): void {
  if (value.length >= LEAST && known.size < MOST) known.add(value);
}

/** The secrets of this process. They only become more. */
export const knownSecrets = (): string[] => [...known];
