/** A secret or a config map that a container needs, from the text of a condition or an event. */
const MISSING =
  /\b(?<kind>secret|configmap) "(?<name>[a-z0-9.-]{1,253})" not found|couldn't find key (?<key>[\w.-]{1,253}) in (?<keyKind>secret|configmap) (?:[a-z0-9-]{1,63}\/)?(?<holder>[a-z0-9.-]{1,253})/i;

/**
 * The object without which a container cannot be started: the end of a title. Empty if the text
 * names nothing.
 */
export function missingIn(words: string): string {
  const { groups } = MISSING.exec(words) ?? {};
  if (groups === undefined) return '';
  const { kind = '', name, key, keyKind = kind, holder } = groups;
  const what = keyKind.toLowerCase() === 'secret' ? 'secret' : 'config map';
  return key === undefined
    ? `: its ${what} ${name} does not exist`
    : `: its ${what} ${holder} has no key ${key}`;
}
