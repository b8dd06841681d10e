import { NoAnswerError, type Facts } from '../facts.js';
import { RUN_ID } from './question.js';
import { rowLines } from '../replies/lists.js';

/**
 * The beginning of the id of a run, of at least eight digits, perhaps with its end, as the console
 * shortens it: `01a21b4d…f982`.
 */
const SHORT_ID =
  /(?<![\w…-])([0-9a-f]{8}[0-9a-f-]{0,28})(?:(?:…|\.{2,3})([0-9a-f]{2,12}))?(?![\w-])/gi;
/** Says that an id is that of a run. */
const OF_RUNS = /\b(?:runs?|diagnos[ei]s|executions?|post-?mortem)\b/i;
/** Digits after which an id has a hyphen. */
const HYPHENS = [8, 12, 16, 20];
/** Maximum of runs among which the one with an end is looked for. */
const MOST = 20;

/**
 * Replaces the shortened ids of runs in a message by the whole ones.
 * @throws NoAnswerError if several runs begin so, or none although the message says it is one
 */
export const withWholeIds = (message: string, facts: Facts): string =>
  message.replaceAll(SHORT_ID, (given, start: string, end: string | undefined) =>
    isShortened(given) ? (wholeId(given, { start, end, message }, facts) ?? given) : given,
  );

/** Whether a text is no whole id, no number and no word. */
const isShortened = (given: string): boolean =>
  !new RegExp(`^${RUN_ID.source}$`, 'i').test(given) && /\d/.test(given) && /[a-f]|^0/i.test(given);

interface ShortId {
  start: string;
  end: string | undefined;
  message: string;
}

function wholeId(given: string, { start, end = '', message }: ShortId, facts: Facts) {
  const rows = facts
    .rows({ id_prefix: hyphenated(start), limit: MOST })
    .filter(({ run_id }) => run_id.endsWith(end.toLowerCase()));
  const [row, ...more] = rows;
  if (row && more.length > 0)
    throw new NoAnswerError(
      `The ids of several runs begin with "${given}". Which one do you mean?\n${rowLines(rows)}`,
    );
  if (!row && OF_RUNS.test(message))
    throw new NoAnswerError(`I know no run with an id that begins with "${given}".`);
  return row?.run_id;
}

/** Writes the beginning of an id with its hyphens. */
function hyphenated(start: string): string {
  const digits = start.toLowerCase().replaceAll('-', '');
  return [...digits].map((digit, i) => (HYPHENS.includes(i) ? `-${digit}` : digit)).join('');
}
