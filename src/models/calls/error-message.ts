import { redactUrls } from '../../lib/redact-urls.js';

/**
 * UTF-16 code units of a provider's text that are read. Bounds the time; the shown text is far
 * shorter.
 */
const READ = 2_000;
/** Code points that are shown. */
const SHOWN = 200;
/**
 * Matches keys and ids of requests, accounts and projects: by a known prefix, or long words with a
 * digit.
 */
const ID =
  /\b(?:sk|pk|req|org|proj|user|acct|chatcmpl|resp|msg)[-_][\w-]{4,}|(?<![\w-])(?=[\w-]*\d)[\w-]{20,}|Bearer\s+\S+/gi;

/**
 * Returns a provider's error text for display: one line, at most 200 characters, without keys and
 * ids.
 */
export function errorMessage(text: string): string {
  const plain = redactUrls(beginningOf(text))
    .replace(ID, '…')
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  const points = [...plain];
  return points.length <= SHOWN ? plain : `${points.slice(0, SHOWN - 1).join('')}…`;
}

/**
 * Returns the beginning of a text. Cuts between two words if possible, because half of a key would
 * not be recognised.
 */
function beginningOf(text: string): string {
  if (text.length <= READ) return text;
  const cut = text.slice(0, READ);
  const space = cut.lastIndexOf(' ');
  return space > 0 ? cut.slice(0, space) : cut;
}
