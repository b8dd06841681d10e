import { effectsOf, type Mechanism, type MechanismKind } from './mechanisms/mechanism.js';
import { doubtByControl } from './control-group.js';
import { setScene, wordWeight, type ChangeContext, type ChangeScene } from './change-scene.js';
import { judgeMechanism, type MechanismScore } from './judge-mechanism.js';
import { doubtByCallee } from './explained-node.js';
import type { ExternalCause } from '../outside/external-cause.js';
import type { Observations } from '../observations.js';
import type { ReadChange } from './read-change.js';
import type { Change } from '../../domain/telemetry/records.js';
import { quoteLine } from '../logs/said-in-line.js';
import { readMessage } from './said-change.js';
import { withFlaggedCode } from './mechanisms/flagged-code.js';
import { judgeUnread, titleOfChange, unreadChanges } from './unread-changes.js';
import { judgeUnexplained } from './judge-unexplained.js';
import { AFTER_FIRST_SIGNS, judgePlace, judgeTime, touchedNodes } from './when-and-where.js';
import { clamp } from '../stats.js';
import type { TextSymptom } from '../symptoms.js';

/** From this score on a change is selected as the cause; below it, no change is. */
export const LEAST_CAUSE_SCORE = 0.15;

/** A change, and how likely it is the cause. */
export interface ChangeSuspect {
  change: Change;
  /** 0 to 1. */
  score: number;
  mechanism?: Mechanism['kind'];
  /** The node on which it went live, or whose code it changes. */
  node?: string;
  /** When it went live. */
  liveAt: number;
  /** It cannot be the cause, rather than that there is no evidence for it. */
  isCleared: boolean;
  /** The evidence for and against it, as sentences. */
  for: string[];
  against: string[];
}

/**
 * Ranks the recorded changes. Those with a diff: by what their mechanism explains, words and
 * numbers in common, time and place. The others, and those with an unknown mechanism: by time,
 * place and the names that they share with the new errors.
 */
export function rankChanges(seen: Observations, context: ChangeContext): ChangeSuspect[] {
  const { anomalies } = context;
  const scene = setScene(seen, context);
  const isBefore = (change: Change) => change.at <= anomalies.reportedAt;
  const weighed = scene.commits
    .filter(({ change }) => isBefore(change))
    .map((each) => weigh(each.change, each.read, scene));
  // The time of a change is weak evidence if another change has a mechanism that explains the
  // failure.
  const explaining = weighed.filter(({ explained }) => explained >= LEAST_CAUSE_SCORE);
  const isExplained = explaining.length > 0;
  const isRepeated = explaining.some(({ repeated }) => repeated >= REPEATED);
  const read = weighed.map((each) => suspectOf(each, isExplained));
  const unread = unreadChanges(seen.changes)
    .filter(isBefore)
    .map((change) => {
      const isOvershadowed = isRepeated || (isExplained && change.kind === 'deploy');
      const byTime = judgeUnreadChange(change, scene, isOvershadowed);
      const said = readMessage(change);
      const bySaid = said && suspectOf(weigh(change, said, scene), isExplained);
      return bySaid?.mechanism !== undefined && bySaid.score > byTime.score ? bySaid : byTime;
    });
  return withAmplifiers(withFlaggedCode([...read, ...unread])).sort((a, b) => b.score - a.score);
}

/** Mechanisms that multiply existing failures, and cause none by themselves. */
const AMPLIFIES: ReadonlySet<MechanismKind | undefined> = new Set([
  'retries-raised',
  'backoff-removed',
]);
const NEARLY_AS_MUCH = 0.6;
const AMPLIFIED = 0.5;

/** Retries multiply failures: a change that explains the first failures is ranked before these. */
function withAmplifiers(suspects: readonly ChangeSuspect[]): ChangeSuspect[] {
  return suspects.map((suspect): ChangeSuspect => {
    const first = AMPLIFIES.has(suspect.mechanism)
      ? suspects.find(
          ({ mechanism, score }) =>
            mechanism !== undefined &&
            !AMPLIFIES.has(mechanism) &&
            score >= Math.max(LEAST_CAUSE_SCORE, NEARLY_AS_MUCH * suspect.score),
        )
      : undefined;
    if (first === undefined) return suspect;
    const against = `retries repeat what fails already, which "${titleOfChange(first.change)}" explains`;
    return { ...suspect, score: suspect.score * AMPLIFIED, against: [...suspect.against, against] };
  });
}

function judgeUnreadChange(
  change: Change,
  scene: ChangeScene,
  isOvershadowed: boolean,
): ChangeSuspect {
  const { node, at: liveAt } = change;
  const fit = judgeUnread(change, scene);
  const doubt = outsideDoubt(undefined, 0, scene.external);
  const control = doubtByControl(change, scene);
  const weight = isOvershadowed ? OVERSHADOWED : 1;
  return {
    change,
    liveAt,
    score: fit.score * doubt.factor * control.factor * weight,
    for: fit.for,
    ...(change.kind === 'flag' && { mechanism: 'flag-flipped' }),
    ...(node !== undefined && { node }),
    isCleared: fit.isLate,
    against: [...fit.against, ...control.against, ...doubt.against],
  };
}

/** A change with what its mechanism explains, and the other evidence for it. */
type WeighedSuspect = Omit<ChangeSuspect, 'score' | 'isCleared'> & {
  /** Score of its mechanism, 0 to 1. */
  explained: number;
  /** Score of time, place and names. */
  unexplained: number;
  /** The share of its diff that telemetry repeats, 0 to 1. */
  repeated: number;
  isCleared: boolean;
};

const MOST_QUOTED = 160;
const OVERSHADOWED = 0.3;
/** From this share on, the repetition in telemetry is not chance. */
const REPEATED = 0.6;

function suspectOf(
  { explained, unexplained, repeated: _, ...suspect }: WeighedSuspect,
  isExplained: boolean,
) {
  const weight = isExplained && explained < LEAST_CAUSE_SCORE ? OVERSHADOWED : 1;
  return { ...suspect, score: Math.max(explained, unexplained * weight) };
}

function weigh(change: Change, read: ReadChange, scene: ChangeScene): WeighedSuspect {
  const touched = touchedNodes(read, scene.nodes);
  const timing = judgeTime(change, touched, scene);
  const place = judgePlace(read, touched, timing, scene);
  const shared = [...read.words]
    .filter(([word]) => scene.said.has(word))
    .map(([word, weight]): [string, number] => [word, weight * wordWeight(word, scene)])
    .sort((a, b) => b[1] - a[1]);
  const likeness = 1 - Math.exp(-shared.reduce((sum, [, weight]) => sum + weight, 0) / 1.6);
  const judged = read.mechanisms.map((mechanism) => judgeMechanism(mechanism, place.node, scene));
  const most = Math.max(0, ...judged.map(({ score }) => score));
  // Of several mechanisms, the one whose symptoms few other mechanisms explain.
  const best = judged.toSorted(
    (a, b) => b.score * b.specificity - a.score * a.specificity || b.effect - a.effect,
  )[0];
  const convincing = best && best.score > LEAST_CONVINCING ? best : undefined;
  const onlyLook = read.view.kinds.every((kind) => kind === 'ui' || kind === 'style');
  const fits = onlyLook && read.view.kinds.length > 0 ? 0.25 : 1;
  const explained =
    clamp((convincing ? most : 0) * (0.6 + 0.4 * likeness)) * timing.factor * place.factor * fits;
  const rest = judgeUnexplained(change, read, { timing, place }, scene);
  const doubt = outsideDoubt(convincing, rest.named, scene.external);
  const callee = doubtByCallee(place.node, convincing?.mechanism.kind, scene);
  const isRepeated = Math.max(convincing?.evidence ?? 0, rest.named) >= REPEATED;
  const control = doubtByControl(timing.own, scene);
  const suffers = (isRepeated ? 1 : callee.factor) * control.factor;
  const words = shared.flatMap(([word]) =>
    [...(read.written.get(word) ?? [])].filter((whole) => scene.saidWhole.has(whole)),
  );
  const isLate = timing.factor <= AFTER_FIRST_SIGNS;
  // All its effects are known, and measurements contradict all of them.
  const refuted = judged.length > 0 && judged.every(({ doubt: against }) => against !== undefined);
  const said = convincing ?? (refuted ? judged[0] : undefined) ?? rest;
  return {
    change,
    liveAt: timing.liveAt,
    explained: explained * doubt.factor * suffers,
    unexplained: rest.score * fits * doubt.factor * suffers * (refuted ? REFUTED : 1),
    repeated: convincing?.evidence ?? 0,
    ...(convincing && { mechanism: convincing.mechanism.kind }),
    ...(place.node !== undefined && { node: place.node }),
    isCleared: rest.cleared !== undefined || isLate,
    for: [
      ...(convincing?.for ?? []),
      ...(convincing && convincing.evidence > 0 ? [] : rest.for),
      ...timing.for,
      ...place.for,
      ...(words.length > 0
        ? [`its diff and the failure share the words ${words.slice(0, 4).join(', ')}`]
        : []),
    ],
    against: [
      ...said.against,
      ...timing.against,
      ...place.against,
      ...callee.against,
      ...control.against,
      ...doubt.against,
    ],
  };
}

/** The remaining factor of a change whose mechanisms measurements contradict. */
const REFUTED = 0.3;

/** Below this score, a mechanism is not named. */
const LEAST_CONVINCING = 0.12;

/** Effects of a change that look like an external cause. */
const LOOKS_LIKE: Partial<Record<ExternalCause['kind'], readonly TextSymptom[]>> = {
  surge: ['load'],
  dns: ['dns'],
};
/** A machine on which all programs use too much. */
const PRESSURE = /pressure|run_?queue/i;
const OF_PRESSURE: readonly TextSymptom[] = ['cpu', 'disk', 'memory'];
function bringsAbout(kind: MechanismKind, { kind: external, says }: ExternalCause): boolean {
  const isPressed = external === 'infrastructure' && PRESSURE.test(says);
  const looks = isPressed ? OF_PRESSURE : (LOOKS_LIKE[external] ?? []);
  return effectsOf(kind).some(([symptom, weight]) => looks.includes(symptom) && weight >= 0.7);
}
/**
 * A lowered limit has an effect once it is reached: the traffic that reaches it belongs to the same
 * failure.
 */
const LOWERS_A_LIMIT: ReadonlySet<MechanismKind> = new Set([
  'limit-lowered',
  'memory-limit-lowered',
  'cpu-limit-lowered',
]);

/**
 * An external cause is evidence against every change, weaker against one that telemetry itself
 * repeats. It is weak evidence against a change with the same effect, and a surge is weak evidence
 * against a change that lowers capacity.
 */
function outsideDoubt(
  convincing: MechanismScore | undefined,
  named: number,
  external: readonly ExternalCause[],
) {
  const kind = convincing?.mechanism.kind;
  const isOfSame = (cause: ExternalCause): boolean =>
    kind !== undefined &&
    (bringsAbout(kind, cause) || (cause.kind === 'surge' && LOWERS_A_LIMIT.has(kind)));
  const weighed = external.map((cause) => ({
    cause,
    strength: cause.strength * (isOfSame(cause) ? 0.4 : 1),
  }));
  const top = weighed.reduce<(typeof weighed)[number] | undefined>(
    (best, each) => (each.strength > (best?.strength ?? 0) ? each : best),
    undefined,
  );
  if (top === undefined) return { factor: 1, against: [] };
  const evidence = Math.max(convincing?.evidence ?? 0, named);
  const factor = 1 - top.strength * (evidence >= 0.9 ? 0.25 : evidence >= 0.6 ? 0.5 : 0.9);
  return {
    factor,
    against: [`the telemetry shows an external cause: ${quoteLine(top.cause.says, MOST_QUOTED)}`],
  };
}
