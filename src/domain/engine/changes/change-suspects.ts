import { effectsOf, type Mechanism } from './mechanism.js';
import { setScene, wordWeight, type ChangeContext, type ChangeScene } from './change-scene.js';
import { judgeMechanism, type Judged } from './judge-mechanism.js';
import type { ExternalCause } from '../external-causes.js';
import type { Observations } from '../observations.js';
import type { ReadChange } from './read-change.js';
import type { Change } from '../records.js';
import { judgeUnread, unreadChanges } from './unread-changes.js';
import { judgePlace, judgeTime } from './when-and-where.js';
import { clamp } from '../stats.js';

/** From this score on a change is held to be the cause; below, no change is. */
export const CONVICT = 0.15;

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
  /** The evidence for and against it, as sentences. */
  for: string[];
  against: string[];
}

/**
 * Ranks the recorded changes: those with a diff by what their mechanism explains, words and numbers in common, time and place; the
 * others by time and place.
 */
export function rankChanges(seen: Observations, context: ChangeContext): ChangeSuspect[] {
  const { trouble } = context;
  const scene = setScene(seen, context);
  const isBefore = (change: Change) => change.at <= trouble.reportedAt;
  const read = scene.commits
    .filter(({ change }) => change.diff !== undefined && isBefore(change))
    .map((each) => judgeChange(each.change, each.read, scene));
  const unread = unreadChanges(seen.changes)
    .filter(isBefore)
    .map((change) => judgeUnreadChange(change, scene));
  return [...read, ...unread].sort((a, b) => b.score - a.score);
}

function judgeUnreadChange(change: Change, scene: ChangeScene): ChangeSuspect {
  const { node, at: liveAt } = change;
  const fit = judgeUnread(change, scene);
  const doubt = outsideDoubt(undefined, scene.external);
  return {
    ...{ change, liveAt, score: fit.score * doubt.factor, for: fit.for },
    ...(change.kind === 'flag' && { mechanism: 'flag-flipped' }),
    ...(node !== undefined && { node }),
    against: [...fit.against, ...doubt.against],
  };
}

function judgeChange(change: Change, read: ReadChange, scene: ChangeScene): ChangeSuspect {
  const timing = judgeTime(change, scene);
  const place = judgePlace(read, timing, scene);
  const shared = [...read.words]
    .filter(([word]) => scene.said.has(word))
    .map(([word, weight]): [string, number] => [word, weight * wordWeight(word, scene)])
    .sort((a, b) => b[1] - a[1]);
  const likeness = 1 - Math.exp(-shared.reduce((sum, [, weight]) => sum + weight, 0) / 1.6);
  const judged = read.mechanisms.map((mechanism) => judgeMechanism(mechanism, scene));
  const most = Math.max(0, ...judged.map(({ score }) => score));
  // Of several mechanisms, the one that explains what few others would.
  const best = judged.toSorted((a, b) => b.score * b.specificity - a.score * a.specificity)[0];
  const least = read.view.cosmetic ? 0 : 0.12;
  const convincing = best && best.score > least ? best : undefined;
  const onlyLook = read.view.kinds.every((kind) => kind === 'ui' || kind === 'style');
  const raw =
    clamp((convincing ? most : least) * (0.6 + 0.4 * likeness)) *
    timing.factor *
    place.factor *
    (onlyLook && read.view.kinds.length > 0 ? 0.25 : 1);
  const doubt = outsideDoubt(convincing, scene.external);
  const words = shared.slice(0, 4).map(([word]) => word);
  return {
    ...{ change, score: raw * doubt.factor, liveAt: timing.liveAt },
    ...(convincing && { mechanism: convincing.mechanism.kind }),
    ...(place.node !== undefined && { node: place.node }),
    for: [
      ...(convincing?.for ?? []),
      ...(words.length > 0 ? [`its diff and the trouble share the words ${words.join(', ')}`] : []),
      ...timing.for,
      ...place.for,
    ],
    against: [
      ...(convincing
        ? []
        : [
            read.view.cosmetic
              ? 'it changes nothing that a running system loads'
              : 'nothing in its diff explains the symptoms',
          ]),
      ...(convincing?.against ?? []),
      ...timing.against,
      ...place.against,
      ...doubt.against,
    ],
  };
}

/** A cause outside speaks against every change, less against one that the telemetry itself repeats. A surge speaks little against a change that makes load. */
function outsideDoubt(convincing: Judged | undefined, external: readonly ExternalCause[]) {
  const makesLoad =
    convincing !== undefined &&
    effectsOf(convincing.mechanism.kind).some(
      ([symptom, weight]) => symptom === 'load' && weight >= 0.7,
    );
  const weighed = external.map((cause) => ({
    cause,
    strength: cause.strength * (cause.kind === 'surge' && makesLoad ? 0.4 : 1),
  }));
  const top = weighed.reduce<(typeof weighed)[number] | undefined>(
    (best, each) => (each.strength > (best?.strength ?? 0) ? each : best),
    undefined,
  );
  if (top === undefined) return { factor: 1, against: [] };
  const evidence = convincing?.evidence ?? 0;
  const factor = 1 - top.strength * (evidence >= 0.9 ? 0.25 : evidence >= 0.6 ? 0.5 : 0.9);
  return {
    factor,
    against: [`the telemetry tells of a cause outside: ${top.cause.says.slice(0, 160)}`],
  };
}
