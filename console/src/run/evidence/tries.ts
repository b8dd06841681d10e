import { fieldsOf, listOf, numberOf, textOf } from '../../model/read.js';
import { duration } from '../../ui/format.js';

/** A try: what is written on it, and how it went. */
export interface Try {
  text: string;
  tone: 'ok' | 'slow' | 'bad';
}

/** Tries are shown one by one up to so many. */
export const MOST_TRIES = 24;

const WELL = /^(?:[23]\d\d|connected)\b/;

/**
 * The tries of a probe in their order, each by its status or by why it failed. An older log counts
 * them by status.
 * @param slowMs what a try may take; one that took longer is slow
 */
export function triesIn(result: unknown, slowMs: number | undefined): Try[] | undefined {
  const { samples, measurements } = fieldsOf(result);
  const { statuses, tries } = fieldsOf(measurements);
  if (samples !== undefined)
    return listOf(samples).map((each) => {
      const { status, error, ms } = fieldsOf(each);
      const took = numberOf(ms);
      const said = String(numberOf(status) ?? textOf(error, 'connected'));
      const isSlow = took !== undefined && slowMs !== undefined && took > slowMs;
      return {
        text: took === undefined ? said : `${said}, ${duration(took)}`,
        tone: !WELL.test(said) ? 'bad' : isSlow ? 'slow' : 'ok',
      };
    });
  if (statuses === undefined) return undefined;
  const counted = Object.entries(fieldsOf(statuses)).flatMap(([text, times]) =>
    Array.from({ length: Math.min(Number(times) || 0, MOST_TRIES) }, (): Try => ({
      text,
      tone: WELL.test(text) ? 'ok' : 'bad',
    })),
  );
  const silent = Math.min(numberOf(tries) ?? 0, MOST_TRIES) - counted.length;
  for (let i = 0; i < silent; i++) counted.push({ text: 'no answer', tone: 'bad' });
  return counted;
}
