import { type Fields, fieldsOf, textOf } from './fields.js';

/**
 * When an event last occurred, in the format of the API; empty if it has no time. Events of the
 * scheduler have no `lastTimestamp`: the first existing time of this order counts (Kubernetes API,
 * Event v1).
 */
export const eventTime = (event: Fields): string =>
  textOf(fieldsOf(event['series'])['lastObservedTime']) ||
  textOf(event['lastTimestamp']) ||
  textOf(event['eventTime']) ||
  textOf(fieldsOf(event['metadata'])['creationTimestamp']);

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

/** A duration in a unit that keeps the number small: `5 min`, `3 h`, `4 days`. */
export function ageText(ms: number): string {
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`;
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} days`;
}
