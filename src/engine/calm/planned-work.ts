import type { Change } from '../../domain/telemetry/records.js';
import { nodesOfAlerts, textOfAlert } from '../alert-subject.js';
import { titleOfChange } from '../changes/unread-changes.js';
import { isMachine } from '../noisy-neighbour.js';
import { clock } from '../signs/sign.js';
import type { AlertCase } from './alert-case.js';
import { areComplaintsOver, servesAsBefore } from './users-signals.js';

const BY_HAND: ReadonlySet<Change['kind']> = new Set(['manual', 'infra', 'config']);
/** Maintenance that takes a part of a system out of service for a while. */
const WORK =
  /\b(drill|exercise|game ?day|maintenance|drain\w*|cordon\w*|switch-?over|fail-?over|fail-?back|reboot\w*|restart\w*|patching|rolling|rehearsal)\b/i;
/** The symptoms of such maintenance in monitoring. */
const LOOKS_LIKE =
  /role|switch-?over|fail-?over|unschedulable|cordon|drain|terminat|restart|reboot|evict|resched|shut ?down|offline|leader|election|standby|absent|not ?ready|replica|peer|primary|connection|(?<![a-z])(down|lost|up)(?![a-z])/i;
/** Maximum duration of maintenance. */
const LASTS_MS = 60 * 60_000;

/** `22:00-22:30`, `from 11:00 to 12:15`: the announced time of maintenance, UTC. */
const WINDOW = /\b([01]?\d|2[0-3]):([0-5]\d)\s?(?:-|–|to|until)\s?([01]?\d|2[0-3]):([0-5]\d)\b/;

/** Whether a message announces maintenance for the time of day at which something happened. */
function isInWindow(message: string, at: number): boolean {
  const [, ...parts] = WINDOW.exec(message) ?? [];
  const [fromHour = NaN, from = NaN, untilHour = NaN, until = NaN] = parts.map(Number);
  const day = new Date(at).setUTCHours(0, 0, 0, 0);
  const minute = (at - day) / 60_000;
  return minute >= 60 * fromHour + from && minute <= 60 * untilHour + until;
}

/**
 * An alert that fires because people take something out of service, as planned, indicates their
 * maintenance, and not a fault, while requests are answered as before.
 */
export function isOfPlannedWork(given: AlertCase): string | undefined {
  const { alert, seen, frame } = given;
  const startsAt = alert.startsAt ?? frame.reportedAt ?? frame.now;
  if (!LOOKS_LIKE.test(textOfAlert(alert))) return undefined;
  const nodes = nodesOfAlerts(seen);
  const machines = new Set(seen.nodes.flatMap((node) => (isMachine(node) ? [node.id] : [])));
  const work = seen.changes.find(({ kind, at, node, failed, message = '' }) => {
    if (!BY_HAND.has(kind) || failed === true || node === undefined || at > startsAt) return false;
    // Maintenance of machines moves the pods that run on them.
    const isHere = nodes.has(node) || machines.has(node);
    return (
      isHere && (isInWindow(message, startsAt) || (startsAt - at <= LASTS_MS && WORK.test(message)))
    );
  });
  const isOfWork = (line: string) => LOOKS_LIKE.test(line);
  return work && areComplaintsOver(given) && servesAsBefore(given, isOfWork)
    ? `it came with planned work (${titleOfChange(work)}, ${clock(work.at)}), and requests are answered as before`
    : undefined;
}
