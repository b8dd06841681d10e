import type { Json } from '../../lib/json.js';
import { clip } from '../../lib/text.js';

/** Maximum characters of a template, of a value in it, and of the result. */
const TEMPLATE_LENGTH = 500;
const VALUE_LENGTH = 200;
const TEXT_LENGTH = 1_000;
const MOST_PLACES = 20;

/** Spaces around a path are trimmed later, because a pattern for them would backtrack. */
const PLACE = /\{\{([^{}]*)\}\}/g;
const PATH = /^[A-Za-z_]\w{0,63}(\.[A-Za-z_0-9][\w-]{0,63}){0,8}$/;
/**
 * Line breaks, control characters and characters that change the direction of text, which a row may
 * not contain.
 */
const UNRULY =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/g;

/**
 * The fault of a template, for its author; undefined if it has none.
 * @param roots names that a path may start with
 */
export function templateFault(template: string, roots: readonly string[]): string | undefined {
  if (template.length > TEMPLATE_LENGTH)
    return `has ${template.length} characters; at most ${TEMPLATE_LENGTH} are allowed`;
  const places = [...template.matchAll(PLACE)].map(([, path = '']) => path.trim());
  if (places.length > MOST_PLACES)
    return `has ${places.length} places; at most ${MOST_PLACES} are allowed`;
  for (const path of places) {
    if (!PATH.test(path))
      return `has the place "{{${clip(path, 40)}}}", which is no path like {{payload.tool_name}}`;
    const [root = ''] = path.split('.');
    if (!roots.includes(root))
      return `has the place "{{${path}}}"; a place begins with one of ${roots.join(', ')}`;
  }
  return template.replace(PLACE, '').includes('{{') ? 'has a "{{" without its "}}"' : undefined;
}

/** The paths of the places of a template, each as its keys. */
export const placesOf = (template: string): string[][] =>
  [...template.matchAll(PLACE)].map(([, path = '']) => path.trim().split('.'));

/** Converts a text to one line of at most `most` characters. */
export const oneLine = (text: string, most: number): string => {
  const line = text
    .slice(0, 4 * most)
    .replace(UNRULY, ' ')
    .trim();
  return line.length <= most && text.length <= 4 * most ? line : `${clip(line, most - 1)}…`;
};

/** The value at a path. Reads only own keys of objects, never a prototype. */
export function valueAt(values: Readonly<Record<string, unknown>>, path: string): Json | undefined {
  let value: unknown = values;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === 'function' ? undefined : (value as Json);
}

/** A value in a text: short, on one line. Lists and objects show only their kind and size. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return oneLine(value, VALUE_LENGTH);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  return Array.isArray(value) ? `(${value.length} entries)` : '(object)';
}

/**
 * Fills a template: one line of at most 1,000 characters. Values are not interpreted as templates.
 * A missing value is empty.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  const filled = template
    .slice(0, TEMPLATE_LENGTH)
    .replace(PLACE, (_, path: string) => shown(valueAt(values, path.trim())));
  return oneLine(filled, TEXT_LENGTH);
}
