import { isTraffic } from '../series/beyond-traffic.js';
import {
  countsFailures,
  countsRefusals,
  nameOfSeries,
  plainName,
} from '../series/meaning-of-metric.js';
import type { MovedSeries } from '../observations.js';
import type { LogTemplate } from '../logs/log-templates.js';
import type { AlertCase } from './alert-case.js';
import { areComplaintsOver, servesAsBefore, withoutMoved } from './users-signals.js';

/** Words about such requests. */
const REFUSED =
  /\b4(0[0-689]|1\d|2[0-8])\b|forbidden|unauthori[sz]ed|denied|not found|invalid (token|credentials?|password|login)|blocked|\bWAF\b/i;
const SERVED = /(code|status|class)\w*_2(\d\d|xx)?(_|$)/;
const countsServed = (series: Pick<MovedSeries, 'name' | 'labels'>): boolean =>
  SERVED.test(plainName(nameOfSeries(series)));
/** The minimum growth of all requests, as a share of the growth of refused ones. */
const ON_TOP = 0.6;

/**
 * Refused requests in addition to the usual ones are caused by their senders: scanners, bots, a
 * client with old credentials. The others are answered as before.
 */
export function areRefusedOnTop(given: AlertCase): string | undefined {
  const { named, node, seen, unusual } = given;
  const refused = unusual.moved.filter(
    (each) => each.onset.direction === 1 && countsRefusals(each),
  );
  const own = refused.filter((each) => each.node === node);
  const isNamed = named.length > 0 && named.every((each) => countsRefusals(each));
  const [first] = own;
  if (!isNamed || first === undefined) return undefined;
  const others = seen.series.filter(
    (each) =>
      each.node === node &&
      (countsServed(each) || (isTraffic(each) && !countsRefusals(each) && !countsFailures(each))),
  );
  const movedBy = (values: readonly number[]) => {
    const onset = unusual.moved.find((each) => each.values === values)?.onset;
    return onset === undefined ? 0 : onset.to - onset.from;
  };
  const extra = own.reduce((sum, each) => sum + each.onset.to - each.onset.from, 0);
  const fewer = others.some(({ values }) => movedBy(values) < 0);
  const isOnTop =
    others.some(countsServed) || others.some(({ values }) => movedBy(values) >= ON_TOP * extra);
  if (fewer || !isOnTop) return undefined;
  const rest = withoutMoved(given, (each) => refused.includes(each));
  const isSaid = ({ sample }: LogTemplate) => REFUSED.test(sample.body);
  const quiet = {
    ...rest,
    unusual: {
      ...rest.unusual,
      complaints: rest.unusual.complaints.filter((each) => !isSaid(each)),
    },
  };
  return areComplaintsOver(quiet) && servesAsBefore(quiet)
    ? `more requests of ${node} are refused, and come on top of the others, which are answered as before`
    : undefined;
}
