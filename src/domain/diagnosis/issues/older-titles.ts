import type { Issue } from '../tool-result.js';

/** Begins the title of an issue that only some of the tries of a look showed. */
export const INTERMITTENT = 'fails now and then: ';

/**
 * Titles of tools, in logs whose issues have no fields for the measured values. A target can
 * neither begin nor end one, because its text must not decide how long it took, or how it answered.
 */
const TIMED_OUT = /^[a-z ,]+ within ([\d.]+) ms$/;
const WAS_SLOW = /^[a-z ]+ in ([\d.]+) ms(?:, slower than [\d.]+ ms)?$/;
const TOOK = /^\S+ took ([\d.]+) ms$/;
const AT_ONCE = /^(?:connection (?:refused|reset)|host name does not (?:resolve|exist))/;
const ANSWERED = /^answers ([1-5]\d\d)\b/;

/** The title without the note that only some of the tries failed. */
export const withoutIntermittent = (title: string): string =>
  title.startsWith(INTERMITTENT) ? title.slice(INTERMITTENT.length) : title;

/**
 * The values in the title of an issue that newer versions store as fields. The only place that
 * interprets a title as a measurement: for logs of older versions.
 */
export function fieldsInTitle({
  symptom,
  title,
}: Pick<Issue, 'symptom' | 'title'>): Pick<Issue, 'intermittent' | 'http_status' | 'took_ms'> {
  const text = withoutIntermittent(title);
  const status = symptom === 'erroring' ? ANSWERED.exec(text)?.[1] : undefined;
  const slow = symptom === 'slow' ? (WAS_SLOW.exec(text) ?? TOOK.exec(text)) : undefined;
  const took = (TIMED_OUT.exec(text) ?? slow)?.[1] ?? (AT_ONCE.test(text) ? 0 : undefined);
  return {
    ...(text !== title && { intermittent: true }),
    ...(status !== undefined && { http_status: Number(status) }),
    ...(took !== undefined && { took_ms: Number(took) }),
  };
}
