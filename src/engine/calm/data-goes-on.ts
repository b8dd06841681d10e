import { textOfAlert } from '../alert-subject.js';
import { clock } from '../signs/sign.js';
import type { AlertCase } from './alert-case.js';
import { goesOn } from './as-usual.js';
import { areComplaintsOver, hasLostTraffic, servesAsBefore } from './users-signals.js';

/** Alerts about what is not heard, rather than about what is heard. */
const NO_DATA =
  /no ?data|absent|missing (metrics?|series|data|samples)|stale (metrics?|data|series)|scrape (fail|error)|not reporting/i;

/** An alert that data is missing tells of how it is gathered, if the node goes on to send some. */
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
