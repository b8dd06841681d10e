import { z } from 'zod';
import { fitsIn } from '../../../lib/text.js';

/**
 * Maximum sizes in a topology: above what people need, and a bound on every response, log entry and
 * prompt.
 */
export const TOPOLOGY_BOUNDS = {
  nodes: 1_000,
  teams: 1_000,
  sources: 100,
  workersPerTeam: 1_000,
  tools: 100,
  text: 1_000,
  prompt: 20_000,
  /** Of the whole topology: entries of lists, and values of keys. */
  values: 50_000,
} as const;

export const must = (what: string) => ({
  error: (issue: { input?: unknown }): string =>
    issue.input === undefined ? `is required and must be ${what}` : `must be ${what}`,
});

const tooLong = (most: number): string =>
  `must have at most ${most.toLocaleString('en')} characters`;

export const prose = (most: number = TOPOLOGY_BOUNDS.text) =>
  z.string(must('a string')).refine((text) => fitsIn(text, most), tooLong(most));
export const label = (what = 'a string') =>
  z
    .string(must(what))
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => fitsIn(text, TOPOLOGY_BOUNDS.text), tooLong(TOPOLOGY_BOUNDS.text));

/**
 * Characters that would begin a new line, move the cursor of a terminal or change the direction of
 * the text around them: control characters, separators of lines, and the directional overrides and
 * isolates of Unicode (UAX 9).
 */
const MOVING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A label that is shown within lines of text. */
export const name = () =>
  label().refine(
    (text) => text.trim() === '' || !MOVING.test(text),
    'must be on one line, without control characters',
  );

/** Characters of the format: most are not shown, so that two texts look alike (Unicode, Cf). */
const UNSEEN = /[\p{Cf}\u2028\u2029]/u;

/** A name by which other parts of a topology refer to something. */
export const identifier = () =>
  name().refine(
    (text) => MOVING.test(text) || !UNSEEN.test(text),
    'must not have invisible characters',
  );

/** An address. What it encodes is shown decoded in places, and must not change the text there. */
export const address = () =>
  label().refine((text) => !UNSEEN.test(decoded(text)), 'must not have invisible characters');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * At most this many entries. Uses `refine` instead of zod's `min` and `max`, which read the
 * `length` of values that are not lists and throw a TypeError for some of them (zod 4.6).
 */
export const sized = <T extends z.ZodArray>(
  list: T,
  least: number,
  most: number,
  none = 'must not be empty',
) =>
  list
    .refine((items) => items.length >= least, none)
    .refine((items) => items.length <= most, {
      error: (issue) =>
        `must have at most ${most} entries, not ${(issue.input as unknown[]).length}`,
    });

/** A list whose items are validated one by one, so that reading a hostile list can stop. */
export const listOf = (what: string, least: number, most: number, none?: string) =>
  sized(z.array(z.unknown(), must(`a list of ${what}`)), least, most, none);

/** @param none message for a list that must not be empty */
export const labels = (item: string, what: string, most: number, none?: string) =>
  listOf(what, none === undefined ? 0 : 1, most, none).pipe(z.array(label(item)));
