const MOST_MS = 365 * 24 * 3_600_000;

/**
 * Reads the wait that a provider requests: `retry-after-ms`, else `Retry-After` in seconds or as a
 * date (RFC 9110, 10.2.3). A date is relative to the `Date` of the response, so that differing
 * clocks do no harm.
 * @param headers names in lower case
 * @param now ms since 1970
 * @returns ms, not negative; undefined if the headers have no valid value
 */
export function parseRetryAfter(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const ms = decimal(headers['retry-after-ms']);
  if (ms !== undefined) return Math.min(Math.ceil(ms), MOST_MS);
  const said = headers['retry-after']?.trim();
  const seconds = decimal(said);
  if (seconds !== undefined) return Math.min(Math.ceil(seconds * 1_000), MOST_MS);
  // Accepts only values in the form of a date: `Date.parse` would read `-5` as a year.
  if (said === undefined || !/^[A-Z][a-z]{2,8},? /.test(said)) return undefined;
  const then = Date.parse(said);
  if (Number.isNaN(then)) return undefined;
  const sent = Date.parse(headers['date'] ?? '');
  return Math.min(Math.max(0, then - (Number.isNaN(sent) ? now : sent)), MOST_MS);
}

function decimal(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(?:\.\d{1,9})?$/.test(text.trim())
    ? Number(text)
    : undefined;
}
