import type { Change } from '../../domain/telemetry/records.js';
import { nodesOfAlerts, textOfAlert } from '../alert-subject.js';
import { titleOfChange } from '../changes/unread-changes.js';
import { clock } from '../signs/sign.js';
import type { AlertCase } from './alert-case.js';
import { areComplaintsOver, servesAsBefore } from './users-signals.js';

const BY_HAND: ReadonlySet<Change['kind']> = new Set(['manual', 'infra', 'config']);
/** Work that takes a part of a system out of service for a while. */
const WORK =
  /\b(drill|exercise|game ?day|maintenance|drain\w*|cordon\w*|switch-?over|fail-?over|fail-?back|reboot\w*|restart\w*|patching|rolling|rehearsal)\b/i;
/** What such work looks like to those who watch. */
const LOOKS_LIKE =
  /role|switch-?over|fail-?over|unschedulable|cordon|drain|terminat|restart|reboot|evict|resched|shut ?down|offline|leader|election|standby|absent|not ?ready|replica|peer|connection|(?<![a-z])(down|lost|up)(?![a-z])/i;
/** Work goes on for so long. */
const LASTS_MS = 60 * 60_000;

/**
 * An alert that fires because people take something out of service, as planned, tells of their
 * work, and not of a fault, while requests are answered as before.
 */
export function isOfPlannedWork(given: AlertCase): string | undefined {
  const { alert, seen, frame } = given;
  const startsAt = alert.startsAt ?? frame.reportedAt ?? frame.now;
  if (!LOOKS_LIKE.test(textOfAlert(alert))) return undefined;
  const nodes = nodesOfAlerts(seen);
  const work = seen.changes.find(
    ({ kind, at, node, failed, message = '' }) =>
      BY_HAND.has(kind) &&
      failed !== true &&
      at <= startsAt &&
      startsAt - at <= LASTS_MS &&
      node !== undefined &&
      nodes.has(node) &&
      WORK.test(message),
  );
  return work && areComplaintsOver(given) && servesAsBefore(given)
    ? `it came with planned work (${titleOfChange(work)}, ${clock(work.at)}), and requests are answered as before`
    : undefined;
}
