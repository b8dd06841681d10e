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

/** From this score on a change is held to be the cause; below, no change is. */
export const LEAST_CAUSE_SCORE = 0.15;

/** A change, and how likely it is the cause. */
export interface ChangeSuspect {
  change: Change;
  /** 0 to 1. */
  score: number;
  mechanism?: Mechanism['kind'];
  /** The node that it went live on, or whose code it changes. */
  node?: string;
  /** When it went live. */
  liveAt: number;
  /** It cannot be the cause, rather than that nothing shows that it is. */
  isCleared: boolean;
  /** The evidence for and against it, as sentences. */
  for: string[];
  against: string[];
}

/**
 * Ranks the recorded changes: those with a diff by what their mechanism explains, words and numbers
 * in common, time and place; the others, and those whose mechanism is not known, by time, place and
 * the names that they share with the new errors.
 */
export function rankChanges(seen: Observations, context: ChangeContext): ChangeSuspect[] {
  const { anomalies } = context;
  const scene = setScene(seen, context);
  const isBefore = (change: Change) => change.at <= anomalies.reportedAt;
  const weighed = scene.commits
    .filter(({ change }) => isBefore(change))
    .map((each) => weigh(each.change, each.read, scene));
  // That something changed at the time says little if another change shows how it brought the
  // failure about.
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

/** What makes more of failures that are there, and none by itself. */
const AMPLIFIES: ReadonlySet<MechanismKind | undefined> = new Set([
  'retries-raised',
  'backoff-removed',
]);
const NEARLY_AS_MUCH = 0.6;
const AMPLIFIED = 0.5;

/** Retries multiply failures: a change that explains the first of them comes before these. */
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
  /** By its mechanism, 0 to 1. */
  explained: number;
  /** By time, place and names. */
  unexplained: number;
  /** How much of its diff the telemetry repeats, 0 to 1. */
  repeated: number;
  isCleared: boolean;
};

const MOST_QUOTED = 160;
const OVERSHADOWED = 0.3;
/** From here on, what the telemetry repeats of a diff is no chance. */
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
  // Of several mechanisms, the one that explains what few others would.
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
  // All that it does is known, and measurements speak against all of it.
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

/** What is left of a change whose mechanisms measurements speak against. */
const REFUTED = 0.3;

/** Below, a mechanism is not worth to be named. */
const LEAST_CONVINCING = 0.12;

/** What a change may cause that looks like an external cause. */
const LOOKS_LIKE: Partial<Record<ExternalCause['kind'], readonly TextSymptom[]>> = {
  surge: ['load'],
  dns: ['dns'],
};
/** A machine of which all that runs on it takes too much. */
const PRESSURE = /pressure|run_?queue/i;
const OF_PRESSURE: readonly TextSymptom[] = ['cpu', 'disk', 'memory'];
function bringsAbout(kind: MechanismKind, { kind: external, says }: ExternalCause): boolean {
  const isPressed = external === 'infrastructure' && PRESSURE.test(says);
  const looks = isPressed ? OF_PRESSURE : (LOOKS_LIKE[external] ?? []);
  return effectsOf(kind).some(([symptom, weight]) => looks.includes(symptom) && weight >= 0.7);
}
/**
 * A lowered limit hurts once it is reached: the traffic that reaches it is part of the same story.
 */
const LOWERS_A_LIMIT: ReadonlySet<MechanismKind> = new Set([
  'limit-lowered',
  'memory-limit-lowered',
  'cpu-limit-lowered',
]);

/**
 * A cause outside speaks against every change, less against one that the telemetry itself repeats.
 * It speaks little against a change that brings the same about, and a surge little against one that
 * lowers what the load may take.
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
