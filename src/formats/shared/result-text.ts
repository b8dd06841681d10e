import type { Json } from '../../lib/json.js';
import { clip, fitsIn } from '../../lib/text.js';

/**
 * Converts the result of a tool to a string: a string stays unchanged, any other value becomes
 * JSON.
 */
export const resultText = (result: Json): string =>
  typeof result === 'string' ? result : JSON.stringify(result);

/** Returns the error message in the result of a failed call. */
export function errorText(result: Json): string {
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) {
    const { error, message } = result;
    if (typeof error === 'string' && error !== '') return error;
    if (typeof message === 'string' && message !== '') return message;
  }
  return typeof result === 'string' && result !== ''
    ? result
    : 'The tool failed without saying why.';
}

/**
 * Maximum code points of a readable result and of a name in it, and maximum entries of an object or
 * a list in it.
 */
const READABLE = 500;
const NAME = 120;
const ENTRIES = 8;
/** Keys whose value can name an entry of a list, the best first. */
const NAMES = ['name', 'title', 'summary', 'run_id', 'id', 'excerpt'];

/**
 * Converts the result of a tool to a short text for a person: its own summary if it has one,
 * otherwise one line for each entry. An action for the page (`{"action": "navigate", …}`) stays
 * JSON.
 */
export function readableText(result: Json): string {
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) {
    if (typeof result['action'] === 'string') return JSON.stringify(result);
    const { summary } = result;
    const rest = Object.entries(result)
      .filter(([, value]) => value !== null)
      .slice(0, ENTRIES);
    const text =
      typeof summary === 'string' && summary !== ''
        ? summary
        : rest.map(([key, value]) => `${key.replaceAll('_', ' ')}: ${inShort(value)}`).join('\n');
    return shorten(text, READABLE);
  }
  return shorten(inShort(result), READABLE);
}

function inShort(value: Json): string {
  if (value === null) return 'none';
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value)) return nameOf(value) ?? `${Object.keys(value).length} entries`;
  if (value.length === 0) return 'none';
  const names = value.slice(0, ENTRIES).map((item) => nameOf(item) ?? '…');
  const more = value.length > ENTRIES ? `, and ${value.length - ENTRIES} more` : '';
  return `${value.length} (${names.join(', ')}${more})`;
}

function nameOf(value: Json): string | undefined {
  if (typeof value !== 'object' || value === null)
    return value === null ? undefined : String(value);
  if (Array.isArray(value)) return undefined;
  const name = NAMES.map((key) => value[key]).find(
    (found) => typeof found === 'string' || typeof found === 'number',
  );
  return name === undefined ? undefined : shorten(String(name), NAME);
}

/**
 * Cuts a text after a word, with an ellipsis. No bracket stays open, and no comma stays at the end.
 */
function shorten(text: string, most: number): string {
  if (fitsIn(text, most)) return text;
  const words = clip(text, most - 1).replace(/\s\S{0,40}$/, '');
  const open = words.lastIndexOf('(');
  const whole = open > words.lastIndexOf(')') && open > 0 ? words.slice(0, open) : words;
  return `${whole.replace(/[\s,;:.–—-]+$/, '')}…`;
}
