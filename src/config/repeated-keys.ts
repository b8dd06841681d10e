import { isMap, isScalar, visit, type Document } from 'yaml';

/**
 * Finds keys that a map of a YAML document has more than once, in linear time. The parser's own
 * check compares each key with all others: parse with `uniqueKeys: false`.
 * @returns the offset of each repetition
 */
export function repeatedKeys(document: Document): number[] {
  const offsets: number[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of isMap(map) ? map.items : []) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) offsets.push(key.range?.[0] ?? 0);
        seen.add(key.value);
      }
    },
  });
  return offsets;
}
