import { textOfAlert } from '../alert-subject.js';
import { hasRecovered, unitsIn } from '../logs/failed-units.js';
import { isHealed } from '../logs/log-templates.js';
import { clock } from '../signs/sign.js';
import type { AlertCase } from './alert-case.js';
import { areComplaintsOver, isQuietAround } from './users-signals.js';

/** Alerts about failed work. */
const FAILURE = /fail|error|exception|abort|retr(y|ies)|gave up|lost/i;

/**
 * A failure of a unit of work is over once it was repeated and succeeded: the units that the alert
 * names, otherwise all that failed.
 */
export function isRecovered(given: AlertCase): string | undefined {
  const { alert, seen, unusual } = given;
  const text = textOfAlert(alert);
  if (!FAILURE.test(text)) return undefined;
  const names = new Set(unitsIn([text, ...Object.values(alert.labels)].join(' ')));
  const near = seen.templates.filter(({ node }) => !unusual.isFar(node));
  const all = near.flatMap(({ failed = [] }) => failed.flat());
  const named = all.filter(({ name }) => names.has(name));
  const complaints = near.filter((each) => each.error && unusual.complaints.includes(each));
  const others = complaints.every(isHealed)
    ? complaints.flatMap(({ failed = [] }) => failed.flat())
    : [];
  const failed = named.length > 0 ? named : others.filter(hasRecovered);
  if (!failed.every(hasRecovered) || !areComplaintsOver(given) || !isQuietAround(given))
    return undefined;
  const [last] = failed.toSorted((a, b) => (b.succeededAt ?? 0) - (a.succeededAt ?? 0));
  return last?.succeededAt === undefined
    ? undefined
    : `${last.name} failed at ${clock(last.failedAt)}, was tried again and succeeded at ${clock(last.succeededAt)}`;
}
