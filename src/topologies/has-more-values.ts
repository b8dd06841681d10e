/**
 * Whether a parsed JSON or YAML text has more than `most` values: entries of lists and values of
 * keys at any depth. One that several aliases name counts each time. It ends there, also where
 * aliases form a cycle.
 */
export function hasMoreValues(value: unknown, most: number): boolean {
  const open = typeof value === 'object' && value !== null ? [value] : [];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const parts: unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += parts.length;
    if (count > most) return true;
    for (const part of parts) if (typeof part === 'object' && part !== null) open.push(part);
  }
  return false;
}
