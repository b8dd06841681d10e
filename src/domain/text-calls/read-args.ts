import type { JsonObject, Json } from '../../lib/json.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

/** Reads the arguments of a named call: JSON, or one tag for each; undefined if it has neither. */
export function readArgs(body: string, texts: ReadonlySet<string>): string | undefined {
  const held = body.trim();
  if (held === '') return '{}';
  if (held.startsWith('{')) return held;
  const params = readParams(held, texts);
  return params && JSON.stringify(params);
}

/**
 * Reads `<parameter=K>V</parameter>`, `<parameter name="K">V</parameter>` or `<K>V</K>`, with
 * nothing else between them.
 */
function readParams(body: string, texts: ReadonlySet<string>): JsonObject | undefined {
  const params: [string, Json][] = [];
  for (let rest = body; rest !== '';) {
    const [tag, word = '', named] =
      /^<([\w.-]+)(?:(?:=|\s+name\s*=)\s*["']?([\w.-]+)["']?[^<>]*)?>/.exec(rest) ?? [];
    if (tag === undefined) return undefined;
    const closer = `</${word}>`;
    const end = rest.indexOf(closer, tag.length);
    // Some models omit the last closing tag.
    if (end < 0 && named === undefined) return undefined;
    const value = rest.slice(tag.length, end < 0 ? undefined : end);
    const name = named ?? word;
    params.push([name, readValue(value, texts.has(name))]);
    rest = end < 0 ? '' : rest.slice(end + closer.length).trimStart();
  }
  return Object.fromEntries(params);
}

/**
 * Reads the value of a tag: a string for a text parameter, otherwise JSON; invalid JSON becomes a
 * string.
 */
export function readValue(written: string, isText: boolean): Json {
  const text = written
    .replace(/^\n|\n$/g, '')
    .replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity);
  if (isText) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
