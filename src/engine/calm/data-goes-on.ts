import { textOfAlert } from '../alert-subject.js';
import { clock } from '../signs/sign.js';
import type { AlertCase } from './alert-case.js';
import { goesOn } from './as-usual.js';
import { areComplaintsOver, hasLostTraffic, servesAsBefore } from './users-signals.js';

/** Alerts about missing data, rather than about values. */
const NO_DATA =
  /no ?data|absent|missing (metrics?|series|data|samples)|stale (metrics?|data|series)|scrape (fail|error)|not reporting/i;

/**
 * Refutes an alert about missing data if the node continues to send some: the alert then indicates
 * a problem of data collection.
 */
export function goesOnToSend(given: AlertCase): string | undefined {
  const { alert, node, seen, frame } = given;
  if (!NO_DATA.test(textOfAlert(alert))) return undefined;
  const own = seen.series.filter((each) => each.node === node);
  const since = alert.startsAt ?? frame.reportedAt ?? frame.now;
  const wrote = seen.templates
    .filter((each) => each.node === node && !each.error)
    .reduce((last, each) => Math.max(last, each.last), -Infinity);
  const isHeard = own.some((each) => goesOn(each, frame)) || wrote > since;
  return isHeard && areComplaintsOver(given) && servesAsBefore(given) && !hasLostTraffic(given)
    ? `${node} goes on to work: ${wrote > since ? `it wrote lines until ${clock(wrote)}` : 'it sends other series'}, and requests are answered as before`
    : undefined;
}
