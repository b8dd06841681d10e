import type { IncidentFrame, Series } from '../../domain/telemetry/records.js';
import { finitePoints } from './finite-points.js';

/** A measurement of a node that is missing at the end of the recording. */
export interface EndedTarget {
  node: string;
  at: number;
  /**
   * A process ended while its machine continues; otherwise the machine or the path to it may have
   * failed as well.
   */
  isProcess: boolean;
  says: string;
}

/** A single failed scrape does not count. */
const LEAST_LAST = 3;

/** Targets that Prometheus can no longer scrape, and units that systemd reports as failed. */
export function endedTargets(series: readonly Series[], { now }: IncidentFrame): EndedTarget[] {
  return series.flatMap((each): EndedTarget[] => {
    const { node, name, labels } = each;
    if (node === undefined) return [];
    const unit = name === 'node_systemd_unit_state' && labels['state'] === 'failed';
    if (name !== 'up' && !unit) return [];
    const at = lastChange(each, unit ? 1 : 0, now);
    if (at === undefined) return [];
    const what = unit ? (labels['name'] ?? 'a unit') : (labels['instance'] ?? 'its target');
    return [
      {
        node,
        at,
        isProcess: unit || hostGoesOn(each, at, series),
        says: unit ? `systemd reports ${what} as failed` : `${what} is down (up went to 0)`,
      },
    ];
  });
}

/**
 * When a series took its current value; undefined if it always had it, or has it for two points at
 * most.
 */
function lastChange(series: Series, value: number, now: number): number | undefined {
  const { times, values } = finitePoints(series);
  const until = times.findLastIndex((at) => at <= now);
  const before = values.slice(0, until + 1).findLastIndex((each) => each !== value);
  return before === -1 || until - before < LEAST_LAST ? undefined : times[before + 1];
}

const hostOf = ({ labels }: Series): string | undefined => labels['instance']?.split(':')[0];

/** Whether another target of the same machine was still measured some time later. */
function hostGoesOn(up: Series, at: number, series: readonly Series[]): boolean {
  const host = hostOf(up);
  return (
    host !== undefined &&
    series.some(
      (each) =>
        each.name !== 'up' &&
        hostOf(each) === host &&
        each.labels['instance'] !== up.labels['instance'] &&
        each.times.filter((time) => time > at).length >= LEAST_LAST,
    )
  );
}
