import { appendFileSync } from 'node:fs';

const MINUTE = 60_000;
const COLUMN = 'column "currency" of relation "orders" does not exist';

/** What services wrote since the deploy of a statement that fails. */
const SINCE_BAD_DEPLOY = {
  orders: `GET / 500: cannot store the order: ${COLUMN}`,
  checkout: 'GET / 502: orders answered 500',
  storefront: 'GET / 502: checkout answered 502',
};

/**
 * Writes what services logged in the hour before now: a line every twenty seconds.
 *
 * @param {Record<string, string>} files by service
 * @param {{now: number, badSince?: number}} options ms; `badSince`: when the deploy went live
 */
export function writeLogHistory(files, { now, badSince = Infinity }) {
  for (const [service, file] of Object.entries(files)) {
    const lines = [];
    for (let at = now - 60 * MINUTE; at < now - 5_000; at += MINUTE / 3) {
      const error = at >= badSince ? SINCE_BAD_DEPLOY[service] : undefined;
      const level = error === undefined ? 'info' : 'error';
      const msg = error ?? `GET / 200 in ${6 + (Math.round(at / 1000) % 5)} ms`;
      lines.push(`${JSON.stringify({ time: new Date(at).toISOString(), level, msg })}\n`);
    }
    appendFileSync(file, lines.join(''));
  }
}
