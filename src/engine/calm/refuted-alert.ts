import type { AlertRecord, Series } from '../../domain/telemetry/records.js';
import { nodeOf, nodesNamedIn, tellingAlerts, textOfAlert } from '../alert-subject.js';
import type { Observations } from '../observations.js';
import { beyondTraffic } from '../series/beyond-traffic.js';
import { countsRefusals, meaningOf, nameOfSeries } from '../series/meaning-of-metric.js';
import { lastOfRhythm } from '../series/onset/rhythm.js';
import { isAtDailyHeight } from '../series/onset/season.js';
import type { AlertCase, Unusual } from './alert-case.js';
import { asUsual, goesOn, joined, silenceOf } from './as-usual.js';
import { goesOnToSend } from './data-goes-on.js';
import { hasEnded } from './ended-alert.js';
import { isOfFewRequests } from './few-requests.js';
import { hasGrownWithTraffic } from './grown-with-traffic.js';
import { hasLoggedAsBefore } from './logged-as-before.js';
import { isOfPlannedWork } from './planned-work.js';
import { hasReachedBefore } from './reached-before.js';
import { isOnlyInUse } from './in-use.js';
import { isInOtherUnit } from './other-unit.js';
import { isRenewed } from './still-valid.js';
import { hasReturned } from './returned.js';
import { isRecovered } from './recovered.js';
import { areRefusedOnTop } from './refused-on-top.js';
import { isQuietAround } from './users-signals.js';

type RefutationRule = (given: AlertCase) => string | undefined;

/** Checks that may refute an alert, each with a text; undefined if the alert may be right. */
const OF_SUBJECT: readonly RefutationRule[] = [isAsUsual];
/** These checks have also examined everything that is connected with the alert. */
const THOROUGH: readonly RefutationRule[] = [
  hasEnded,
  hasReturned,
  hasGrownWithTraffic,
  isOnlyInUse,
  hasReachedBefore,
  hasLoggedAsBefore,
  isRecovered,
  isOfPlannedWork,
  isOfFewRequests,
  areRefusedOnTop,
  goesOnToSend,
  isInOtherUnit,
  isRenewed,
];

export interface Refutation {
  says: string;
  /** Nothing that is connected with the alert shows a failure. */
  isThorough: boolean;
}

/**
 * The evidence against an alert, as text. Noise, daily peaks, more requests that are served well,
 * and planned maintenance all cross thresholds.
 * @param main the alert that the others are compared with
 * @param node that it is about
 * @returns undefined if one of the alerts may be right
 */
export function refutationOf(
  seen: Observations,
  main: AlertRecord | undefined,
  node: string | undefined,
  unusual: Unusual,
): Refutation | undefined {
  if (main === undefined || node === undefined) return undefined;
  const refute = (alert: AlertRecord, about: string) => {
    const named = namedBy(
      alert,
      seen.series.filter((each) => each.node === about),
    );
    const given = { seen, frame: seen.frame, alert, node: about, named, unusual };
    const by = (rules: readonly RefutationRule[], isThorough: boolean) => {
      const says = firstOf(rules, (rule) => rule(given));
      return says === undefined ? undefined : { says, isThorough };
    };
    return by(OF_SUBJECT, false) ?? by(THOROUGH, true);
  };
  const others = tellingAlerts(seen).filter((alert) => alert !== main);
  const isRefuted = (alert: AlertRecord) => {
    const about = nodeOf(alert, seen);
    return about === undefined || refute(alert, about) !== undefined;
  };
  const refutation = refute(main, node);
  return refutation !== undefined && others.every(isRefuted) ? refutation : undefined;
}

function firstOf<T, R>(all: readonly T[], find: (each: T) => R | undefined): R | undefined {
  for (const each of all) {
    const found = find(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The metric that an alert names is as usual, or nothing of its node is unusual. */
function isAsUsual(given: AlertCase): string | undefined {
  const { seen, frame, alert, node, named, unusual } = given;
  const own = seen.series.filter((each) => each.node === node);
  if (own.length === 0) return undefined;
  const isUnusual = [...unusual.moved, ...unusual.complaints].some((each) => each.node === node);
  const going = own.filter((each) => goesOn(each, frame));
  const high = going.find(
    (each) => (named.length === 0 || named.includes(each)) && isAtDailyHeight(each),
  );
  if (!isUnusual && high) return `${high.name} of ${node} is as high at this time of each day`;
  const rhythmic = named.filter((each) => going.includes(each)).find((each) => lastOfRhythm(each));
  if (!isUnusual && rhythmic)
    return `${rhythmic.name} of ${node} has been as high at regular times before`;
  if (seen.recordings.length + seen.kubernetes.length > 0 && !isQuietAround(given))
    return undefined;
  if (going.length === 0) return undefined;
  if (named.length > 0) {
    const hasMoved = unusual.moved.some(({ values }) =>
      named.some((each) => each.values === values),
    );
    const usual = [...joined(named).values()].map((each) => asUsual(each, alert, frame));
    return hasMoved || usual.includes(undefined) ? undefined : usual[0];
  }
  const isMeasuredOnly = seen.templates.length === 0 && seen.spans.length === 0;
  if (!isMeasuredOnly || seen.changes.length > 0 || isUnusual) return undefined;
  const isCalm = beyondTraffic(unusual.moved, seen.series).length === 0;
  return silenceOf(node, own) ?? (isCalm ? `no series of ${node} left its usual band` : undefined);
}

const OF_REFUSALS = /4xx|(?<!\d)40\d(?!\d)/i;

/**
 * The series of the node that an alert names: by its label, otherwise by a word of its text,
 * otherwise those that measure what its text is about.
 */
function namedBy(alert: AlertRecord, own: readonly Series[]): Series[] {
  const { metric, stat } = alert.labels;
  const text = textOfAlert(alert);
  const inText = nodesNamedIn(
    text,
    own.map(({ name }) => name),
  );
  const isOfStat = ({ labels }: Series) =>
    stat === undefined || labels['stat'] === undefined || labels['stat'] === stat;
  const isNamed = ({ name }: Series) =>
    metric === undefined ? inText.includes(name) : name === metric;
  const named = own.filter((each) => isNamed(each) && isOfStat(each));
  if (named.length > 0 || metric !== undefined) return named;
  const about = meaningOf(text)?.kind;
  const measures = (each: Series) =>
    OF_REFUSALS.test(text)
      ? countsRefusals(each)
      : about !== undefined && meaningOf(nameOfSeries(each))?.kind === about;
  return own.filter((each) => measures(each) && isOfStat(each));
}
