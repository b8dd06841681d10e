import type { JsonObject, Json } from '../../lib/json.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
};

/** The arguments that a named call holds: JSON, or a tag for each; undefined where it is neither. */
export function readArgs(body: string, texts: ReadonlySet<string>): string | undefined {
  const held = body.trim();
  if (held === '') return '{}';
  if (held.startsWith('{')) return held;
  const params = readParams(held, texts);
  return params && JSON.stringify(params);
}

/** `<parameter=K>V</parameter>`, `<parameter name="K">V</parameter>` or `<K>V</K>`, nothing else between them. */
function readParams(body: string, texts: ReadonlySet<string>): JsonObject | undefined {
  const params: [string, Json][] = [];
  for (let rest = body; rest !== '';) {
    const [tag, word = '', named] =
      /^<([\w.-]+)(?:(?:=|\s+name\s*=)\s*["']?([\w.-]+)["']?[^<>]*)?>/.exec(rest) ?? [];
    if (tag === undefined) return undefined;
    const closer = `</${word}>`;
    const end = rest.indexOf(closer, tag.length);
    // The last one's closing tag is left out by some.
    if (end < 0 && named === undefined) return undefined;
    const value = rest.slice(tag.length, end < 0 ? undefined : end);
    const name = named ?? word;
    params.push([name, readValue(value, texts.has(name))]);
    rest = end < 0 ? '' : rest.slice(end + closer.length).trimStart();
  }
  return Object.fromEntries(params);
}

/** What a tag holds: the text of a text, else the JSON that it is, else a text all the same. */
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
