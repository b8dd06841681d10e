import type { Symptom } from './finding.js';
import { withoutIntermittent } from './issues/older-titles.js';
import { isMeasured, type Measurement } from './measurement.js';
import type { Issue } from './tool-result.js';

/** The measurements that count, and what they replace. */
export interface Current {
  /**
   * The last of each subject of each node, and earlier ones with the issues that no later one takes
   * back. By tool and subject, then by sequence: tools that run at once end in any order, and
   * decide nothing by it.
   */
  measurements: Measurement[];
  /** Issues that a later measurement of the same subject no longer showed. */
  overruled: { issue: Issue; was: Measurement; by: Measurement }[];
  /** Nodes of which a subject was measured, but never reliably. */
  unreliable: Set<string>;
  /**
   * The last looks at their subjects that were unreliable, with the issues that they cannot prove.
   */
  doubtful: Measurement[];
}

/** A measurement without the issues that it cannot prove. */
interface PrunedMeasurement {
  measurement: Measurement;
  /** It had such issues. */
  isCut: boolean;
}

/**
 * Sorts out what was measured. Only a later measurement of the same subject (node, tool, and the
 * arguments that choose what is looked at) takes back an issue, and only if it would have seen it:
 * with at least as many tries, reliably, and not only in part. What only some of the tries showed
 * is taken back by as many later ones, of all looks, as are unlikely to miss it. Contract section
 * 6. The order of `all` does not matter.
 */
export function currentMeasurements(all: readonly Measurement[]): Current {
  const looks = new Map<string, PrunedMeasurement[]>();
  const unproven = new Map<string, string>();
  const last = new Map<string, Measurement>();
  for (const measurement of all.filter(isMeasured).toSorted((a, b) => a.sequence - b.sequence)) {
    const { node, tool, subject } = measurement;
    const key = JSON.stringify([node, tool, subject]);
    last.set(key, measurement);
    const proven = measurement.unreliable ? withoutTime(measurement) : measurement;
    if (proven === undefined) unproven.set(key, node);
    else {
      const look = { measurement: proven, isCut: proven !== measurement };
      const earlier = looks.get(key);
      if (earlier) earlier.push(look);
      else looks.set(key, [look]);
    }
  }
  const sorted = [...looks.values()].map(sortOut);
  return {
    measurements: sorted.flatMap(({ standing }) => standing).toSorted(bySubject),
    overruled: sorted
      .flatMap(({ overruled }) => overruled)
      .toSorted((a, b) => bySubject(a.was, b.was)),
    unreliable: new Set([...unproven].flatMap(([key, node]) => (looks.has(key) ? [] : [node]))),
    doubtful: [...last.values()]
      .filter(({ unreliable }) => unreliable)
      .map((measurement) => ({ ...measurement, issues: measurement.issues.filter(isOfTime) }))
      .filter(({ issues }) => issues.length > 0)
      .toSorted(bySubject),
  };
}

/**
 * Compares by tool and subject, then by sequence: the order in which tools end that run at once
 * decides nothing.
 */
export function bySubject(a: Measurement, b: Measurement): number {
  const [one, other] = [a, b].map(({ tool, subject }) => JSON.stringify([tool, subject]));
  return one === other ? a.sequence - b.sequence : String(one) < String(other) ? -1 : 1;
}

/** Sorts out the looks at one subject, in the order in which they were made. */
function sortOut(looks: readonly PrunedMeasurement[]): {
  standing: Measurement[];
  overruled: Current['overruled'];
} {
  const shown = new LaterIssues();
  const sorted = looks.toReversed().map(({ measurement: was }, at) => {
    const later = looks.slice(looks.length - at);
    const overruled: Current['overruled'] = [];
    const issues = was.issues.filter((issue) => {
      if (shown.hasSame(issue, was.issues)) return false;
      // In other words it may be the same fault or another one: only a look that would have seen
      // this one decides.
      const by = takenBackBy(later, issue, was);
      if (by && !shown.hasAlike(issue) && issue.severity !== 'info')
        overruled.push({ issue, was, by });
      return by === undefined;
    });
    was.issues.forEach((issue) => shown.add(issue));
    return { standing: at === 0 || issues.length > 0 ? [{ ...was, issues }] : [], overruled };
  });
  const inOrder = sorted.toReversed();
  return {
    standing: inOrder.flatMap(({ standing }) => standing),
    overruled: inOrder.flatMap(({ overruled }) => overruled),
  };
}

const SEVERITIES = ['critical', 'warning', 'info'];

/**
 * A number that is measured, and neither a part of a name (`orders-1`, `10.0.0.1`) nor one itself
 * (`broker 3`).
 */
const QUANTITY =
  /(?<![\w.:/-]|\b(?:broker|database|group|partition|port|queue|slot) )\d+(?:[.,]\d+)?(?=[\s%,;)]|$)/g;

/**
 * A title without what differs from look to look: numbers, the words of a status, and whether all
 * tries of a look failed.
 */
const wordsOf = (title: string): string =>
  withoutIntermittent(title)
    .replace(/^(answers \d{3}) [^,]+$/, '$1')
    .replaceAll(QUANTITY, '#');

/** Whether two titles of the same symptom at the same subject name the same fault. */
export const isAlike = (one: string, other: string): boolean => wordsOf(one) === wordsOf(other);

/**
 * The issues of later looks, each compared once: a subject may be looked at hundreds of times. Only
 * those with the same symptom that are at least as severe count.
 */
class LaterIssues {
  /** The worst severity, as a rank, by symptom, then by title. */
  private readonly worst = new Map<string, number>();
  /** Titles by their words without what differs from look to look. */
  private readonly alike = new Map<string, Set<string>>();

  add({ symptom, severity, title }: Issue): void {
    const rank = SEVERITIES.indexOf(severity);
    for (const key of [symptom, keyOf(symptom, title)])
      this.worst.set(key, Math.min(rank, this.worst.get(key) ?? rank));
    const words = keyOf(symptom, wordsOf(title));
    this.alike.set(words, (this.alike.get(words) ?? new Set()).add(title));
  }

  hasAlike({ symptom, severity }: Issue): boolean {
    return this.isAsSevere(symptom, severity);
  }

  /**
   * Whether one of them is one of the earlier issues: the one with the same title, ignoring
   * numbers.
   */
  hasSame({ symptom, severity, title }: Issue, before: readonly Issue[]): boolean {
    if (this.isAsSevere(keyOf(symptom, title), severity)) return true;
    for (const other of this.alike.get(keyOf(symptom, wordsOf(title))) ?? [])
      if (
        !before.some((issue) => issue.title === other) &&
        this.isAsSevere(keyOf(symptom, other), severity)
      )
        return true;
    return false;
  }

  private isAsSevere(key: string, severity: string): boolean {
    return (this.worst.get(key) ?? Infinity) <= SEVERITIES.indexOf(severity);
  }
}

const keyOf = (symptom: Symptom, words: string): string => JSON.stringify([symptom, words]);

/** Any answer disproves these. */
const NO_ANSWER: ReadonlySet<Symptom> = new Set(['unreachable', 'nameless']);

/** Whether a look saw only a part, or lacked a right to see all. */
const isPart = ({ partial, hidden }: Measurement): boolean => partial || hidden !== undefined;

/** How likely a failure may be to go unseen by the tries that are to show that it is gone. */
const UNSEEN = 0.05;

/** The last of the later looks, none of which shows an issue, if they show that it is gone. */
function takenBackBy(
  later: readonly PrunedMeasurement[],
  issue: Issue,
  was: Measurement,
): Measurement | undefined {
  const looks = later.filter((look) => wouldSee(look, issue, was)).map((look) => look.measurement);
  const { tries, failedTries = 0 } = was;
  if (!issue.intermittent || failedTries === 0) return looks.findLast((by) => by.tries >= tries);
  // What fails one time in ten is not gone because three tries, or ten, did not meet it.
  const passed = looks.map((by) => Math.max(0, by.tries - (by.failedTries ?? 0)));
  const rate = Math.min(1, failedTries / tries);
  const unseen = (1 - rate) ** passed.reduce((sum, count) => sum + count, 0);
  return unseen < UNSEEN ? looks.findLast((_, i) => passed[i] !== 0) : undefined;
}

/** Whether a look is one that would show an issue if a try met it. */
const wouldSee = (
  { measurement: by, isCut }: PrunedMeasurement,
  issue: Issue,
  was: Measurement,
): boolean => !isCut && (!isPart(by) || isPart(was) || NO_ANSWER.has(issue.symptom));

/**
 * Whether an issue is about time: on a prober that is short of processor time it proves nothing.
 * Its words do not decide: those of a target (`504 Gateway Timeout`) are what it answered.
 */
const isOfTime = ({ symptom, duration_ms: ms }: Issue): boolean =>
  symptom === 'slow' || ms !== undefined;

/** The rest of an unreliable measurement; undefined if it only showed issues of time. */
function withoutTime(measurement: Measurement): Measurement | undefined {
  const issues = measurement.issues.filter((issue) => !isOfTime(issue));
  if (issues.length === measurement.issues.length) return measurement;
  return issues.length === 0 ? undefined : { ...measurement, issues };
}
