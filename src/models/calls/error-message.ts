import { redactUrls } from '../../lib/redact-urls.js';

const MOST = 200;
/** Keys, and ids of requests, accounts and projects: long and mixed, or named by their beginning. */
const ID =
  /\b(?:sk|pk|req|org|proj|user|acct|chatcmpl|resp|msg)[-_][\w-]{4,}|\b(?=[\w-]*\d)[\w-]{20,}|Bearer\s+\S+/gi;

/** What a provider says about a request, fit to be shown: on one line, short, without keys and ids. */
export function providerWords(text: string): string {
  const plain = redactUrls(text)
    .replace(ID, '…')

    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  const points = [...plain];
  return points.length <= MOST ? plain : `${points.slice(0, MOST - 1).join('')}…`;
}
