import { redactUrls } from '../../lib/redact-urls.js';

/** UTF-16 code units of a provider's text that are read: what is shown is far shorter, and time grows with the length. */
const READ = 2_000;
/** Code points that are shown. */
const SHOWN = 200;
/** Keys, and ids of requests, accounts and projects: long and mixed, or known by a prefix. */
const ID =
  /\b(?:sk|pk|req|org|proj|user|acct|chatcmpl|resp|msg)[-_][\w-]{4,}|(?<![\w-])(?=[\w-]*\d)[\w-]{20,}|Bearer\s+\S+/gi;

/** A provider's error text, fit to be shown: on one line, at most 200 characters, without keys and ids. */
export function errorMessage(text: string): string {
  const plain = redactUrls(beginningOf(text))
    .replace(ID, '…')
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  const points = [...plain];
  return points.length <= SHOWN ? plain : `${points.slice(0, SHOWN - 1).join('')}…`;
}

/** The first characters of a text. Ends between two words where it can: half of a key is not recognised as one. */
function beginningOf(text: string): string {
  if (text.length <= READ) return text;
  const cut = text.slice(0, READ);
  const space = cut.lastIndexOf(' ');
  return space > 0 ? cut.slice(0, space) : cut;
}
