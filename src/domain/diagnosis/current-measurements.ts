import type { Symptom } from './finding.js';
import { withoutIntermittent } from './issues/older-titles.js';
import { isMeasured, type Measurement } from './measurement.js';
import type { Issue } from './tool-result.js';

/** The measurements that count, and those that they replace. */
export interface Current {
  /**
   * The last measurement of each subject of each node, and earlier ones with the issues that no
   * later one withdraws. By tool and subject, then by sequence: tools that run at once end in any
   * order, which must not matter.
   */
  measurements: Measurement[];
  /** Issues that a later measurement of the same subject no longer showed. */
  overruled: { issue: Issue; was: Measurement; by: Measurement }[];
  /** Nodes with a subject that was measured, but never reliably. */
  unreliable: Set<string>;
  /**
   * The last measurements of their subjects that were unreliable, with the issues that they cannot
   * prove.
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
 * Selects the measurements that count. Only a later measurement of the same subject (node, tool,
 * and the arguments that select what is measured) withdraws an issue, and only if it would have
 * found it: with at least as many tries, reliably, and completely. An issue that only some tries
 * showed is withdrawn by as many later tries, of all measurements, as are unlikely to miss it.
 * Contract section 6. The order of `all` does not matter.
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
 * Compares by tool and subject, then by sequence: the order in which parallel tools end must not
 * matter.
 */
export function bySubject(a: Measurement, b: Measurement): number {
  const [one, other] = [a, b].map(({ tool, subject }) => JSON.stringify([tool, subject]));
  return one === other ? a.sequence - b.sequence : String(one) < String(other) ? -1 : 1;
}

/** Sorts the measurements of one subject by time. */
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
      // With a different title it may be the same fault or another one: only a measurement that
      // would have found this one decides.
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
 * A measured number that is not part of a name (`orders-1`, `10.0.0.1`) and not a name itself
 * (`broker 3`).
 */
const QUANTITY =
  /(?<![\w.:/-]|\b(?:broker|database|group|partition|port|queue|slot) )\d+(?:[.,]\d+)?(?=[\s%,;)]|$)/g;

/**
 * A title without the parts that vary between measurements: numbers, the text of a status, and
 * whether all tries failed.
 */
const wordsOf = (title: string): string =>
  withoutIntermittent(title)
    .replace(/^(answers \d{3}) [^,]+$/, '$1')
    .replaceAll(QUANTITY, '#');

/** Whether two titles of the same symptom at the same subject name the same fault. */
export const isAlike = (one: string, other: string): boolean => wordsOf(one) === wordsOf(other);

/**
 * The issues of later measurements, each compared once: a subject may be measured hundreds of
 * times. Only issues with the same symptom that are at least as severe count.
 */
class LaterIssues {
  /** The worst severity, as a rank, by symptom, then by title. */
  private readonly worst = new Map<string, number>();
  /** Titles by their words without the varying parts. */
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
   * Whether a later issue has the same title, or a title that differs only in the varying parts and
   * that no other earlier issue has.
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

/** Symptoms that any answer disproves. */
const NO_ANSWER: ReadonlySet<Symptom> = new Set(['unreachable', 'nameless']);

/** Whether a measurement is partial, or lacked a right to see all. */
const isPart = ({ partial, hidden }: Measurement): boolean => partial || hidden !== undefined;

/** The accepted probability that the tries miss a failure although it persists. */
const UNSEEN = 0.05;

/** The last of the later measurements without an issue, if they show that it is gone. */
function takenBackBy(
  later: readonly PrunedMeasurement[],
  issue: Issue,
  was: Measurement,
): Measurement | undefined {
  const looks = later.filter((look) => wouldSee(look, issue, was)).map((look) => look.measurement);
  const { tries, failedTries = 0 } = was;
  if (!issue.intermittent || failedTries === 0) return looks.findLast((by) => by.tries >= tries);
  // Three or ten tries without a failure do not show that a failure of one in ten is gone.
  const passed = looks.map((by) => Math.max(0, by.tries - (by.failedTries ?? 0)));
  const rate = Math.min(1, failedTries / tries);
  const unseen = (1 - rate) ** passed.reduce((sum, count) => sum + count, 0);
  return unseen < UNSEEN ? looks.findLast((_, i) => passed[i] !== 0) : undefined;
}

/** Whether a measurement would show an issue if a try met it. */
const wouldSee = (
  { measurement: by, isCut }: PrunedMeasurement,
  issue: Issue,
  was: Measurement,
): boolean => !isCut && (!isPart(by) || isPart(was) || NO_ANSWER.has(issue.symptom));

/**
 * Whether an issue is about time: if the prober is short of processor time it proves nothing. Its
 * text does not decide: that of a target (`504 Gateway Timeout`) is part of its answer.
 */
const isOfTime = ({ symptom, duration_ms: ms }: Issue): boolean =>
  symptom === 'slow' || ms !== undefined;

/** The remainder of an unreliable measurement; undefined if it only showed issues of time. */
function withoutTime(measurement: Measurement): Measurement | undefined {
  const issues = measurement.issues.filter((issue) => !isOfTime(issue));
  if (issues.length === measurement.issues.length) return measurement;
  return issues.length === 0 ? undefined : { ...measurement, issues };
}
