import { readChange, type ReadChange } from './read-change.js';
import { effectsOf, type Mechanism } from './mechanism.js';
import { escapePattern } from '../../../lib/text.js';
import { wordsOf } from './words.js';
import type { ExternalCause } from '../external-causes.js';
import { templateText } from '../logs/log-templates.js';
import type { Observations, Trouble } from '../observations.js';
import type { Change } from '../records.js';
import { judgeUnread, unreadChanges } from './unread-changes.js';
import { judgePlace, judgeTime } from './when-and-where.js';
import { clamp, showNumber } from '../stats.js';
import { inWords, specificityOf, type FaultText, type TextSymptom } from '../symptoms.js';

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
  /** What speaks for it and against it, as sentences. */
  for: string[];
  against: string[];
}

/** What a change is compared with. */
export interface ChangeContext {
  trouble: Trouble;
  texts: readonly FaultText[];
  symptoms: ReadonlyMap<TextSymptom, number>;
  external: readonly ExternalCause[];
}

interface Scene extends ChangeContext {
  commits: readonly { change: Change; read: ReadChange }[];
  deploys: readonly Change[];
  nodes: readonly string[];
  /** When each unwell node became so. */
  unwell: ReadonlyMap<string, number>;
  /** How much a word counts that the trouble mentions. */
  said: ReadonlyMap<string, number>;
  /** 1 for a word of one change alone, towards 0 for a word of all. */
  rarity: (word: string) => number;
  nodeWords: ReadonlySet<string>;
  faultText: string;
  calmText: string;
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

function judgeUnreadChange(change: Change, scene: Scene): ChangeSuspect {
  const { node, at: liveAt } = change;
  const fit = judgeUnread(change, scene.unwell);
  const doubt = outsideDoubt(undefined, scene.external);
  return {
    ...{ change, liveAt, score: fit.score * doubt.factor, for: fit.for },
    ...(change.kind === 'flag' && { mechanism: 'flag-flipped' }),
    ...(node !== undefined && { node }),
    against: [...fit.against, ...doubt.against],
  };
}

function setScene({ changes, nodes, templates }: Observations, context: ChangeContext): Scene {
  const { trouble, texts } = context;
  const commits = changes
    .filter(({ kind, diff }) => kind === 'commit' || (kind !== 'deploy' && diff !== undefined))
    .map((change) => ({ change, read: readChange(change) }));
  const holders = new Map<string, number>();
  for (const { read } of commits)
    for (const word of read.words.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  const count = commits.length;
  const calm = templates.filter(({ early }) => early > 0);
  const usual = new Set(calm.flatMap((template) => wordsOf(templateText(template))));
  const said = new Map<string, number>();
  for (const { text, weight } of texts)
    for (const word of wordsOf(text))
      said.set(word, Math.max(said.get(word) ?? 0, weight * (usual.has(word) ? 0.4 : 1)));
  const unwell = new Map<string, number>();
  const see = (node: string | undefined, at: number) => {
    if (node !== undefined) unwell.set(node, Math.min(unwell.get(node) ?? Infinity, at));
  };
  for (const { node, onset } of trouble.moved) see(node, onset.at);
  for (const { node, error, warning, first } of trouble.appeared)
    if (error || warning) see(node, first);
  for (const { node, start } of trouble.failedSpans)
    if (start > trouble.quietUntil) see(node, start);
  const ids = nodes.map(({ id }) => id);
  return {
    ...context,
    ...{ commits, unwell, said, nodes: ids },
    deploys: changes.filter(({ kind }) => kind === 'deploy').toSorted((a, b) => a.at - b.at),
    rarity: (word) =>
      count === 0 ? 1 : Math.log(1 + count / (holders.get(word) ?? 1)) / Math.log(1 + count),
    nodeWords: new Set(ids.flatMap(wordsOf)),
    faultText: texts.map(({ text }) => text).join('\n'),
    calmText: calm.map(({ sample }) => sample.body).join('\n'),
  };
}

function judgeChange(change: Change, read: ReadChange, scene: Scene): ChangeSuspect {
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
  const told = best && best.score > least ? best : undefined;
  const onlyLook = read.view.kinds.every((kind) => kind === 'ui' || kind === 'style');
  const raw =
    clamp((told ? most : least) * (0.6 + 0.4 * likeness)) *
    timing.factor *
    place.factor *
    (onlyLook && read.view.kinds.length > 0 ? 0.25 : 1);
  const doubt = outsideDoubt(told, scene.external);
  const words = shared.slice(0, 4).map(([word]) => word);
  return {
    ...{ change, score: raw * doubt.factor, liveAt: timing.liveAt },
    ...(told && { mechanism: told.mechanism.kind }),
    ...(place.node !== undefined && { node: place.node }),
    for: [
      ...(told?.for ?? []),
      ...(words.length > 0 ? [`its diff and the trouble share the words ${words.join(', ')}`] : []),
      ...timing.for,
      ...place.for,
    ],
    against: [
      ...(told
        ? []
        : [
            read.view.cosmetic
              ? 'it changes nothing that a running system loads'
              : 'nothing in its diff explains the symptoms',
          ]),
      ...(told?.against ?? []),
      ...timing.against,
      ...place.against,
      ...doubt.against,
    ],
  };
}

const wordWeight = (word: string, { said, rarity, nodeWords }: Scene): number =>
  (said.get(word) ?? 0) * rarity(word) * (nodeWords.has(word) ? 0.3 : 1);

interface Judged {
  mechanism: Mechanism;
  score: number;
  /** Of the symptom that it brings about. */
  specificity: number;
  evidence: number;
  for: string[];
  against: string[];
}

/** The weakest claim of a mechanism whose words the trouble does not mention. A version bump may do anything, so it claims less. */
const UNFOCUSED = 0.45;
const UNFOCUSED_VERSION = 0.15;

function judgeMechanism(mechanism: Mechanism, scene: Scene): Judged {
  let effect = 0;
  let symptom: TextSymptom | undefined;
  for (const [name, weight] of effectsOf(mechanism.kind)) {
    const shown = weight * (scene.symptoms.get(name) ?? 0);
    if (shown > effect) [effect, symptom] = [shown, name];
  }
  const words = wordsOf(mechanism.about);
  const about = words.filter((word) => scene.said.has(word));
  const evidence = evidenceFor(mechanism, about.length > 0, scene);
  const focus = clamp(about.reduce((sum, word) => sum + wordWeight(word, scene), 0) / 1.2);
  const least = mechanism.kind.startsWith('version') ? UNFOCUSED_VERSION : UNFOCUSED;
  const plausible =
    effect *
    (mechanism.weak ? 0.6 : 1) *
    (least + (1 - least) * Math.max(focus, evidence.strength));
  const name = mechanism.kind.replaceAll('-', ' ');
  return {
    mechanism,
    score: Math.max(plausible, 0.75 * evidence.strength),
    specificity: symptom === undefined ? 1 : specificityOf(symptom),
    evidence: evidence.strength,
    for: [
      symptom === undefined
        ? `what it does: ${name}`
        : `${name}, which brings about ${inWords(symptom)}`,
      ...evidence.says,
    ],
    against: effect < 0.3 ? [`${name} does not bring about what is seen`] : [],
  };
}

const NO_LITERAL =
  /^(true|false|null|none|error|string|name|value|data|type|status|code|info|warn|message|default|https?:\/\/)$/i;
const contains = (text: string, literal: string): boolean =>
  text.includes(literal) && new RegExp(`(?<!\\w)${escapePattern(literal)}(?!\\w)`).test(text);

/** Whether telemetry repeats what the diff has: a literal, or the numbers of a setting. */
function evidenceFor(
  { literals = [], numbers, kind }: Mechanism,
  isAbout: boolean,
  { faultText, calmText, trouble }: Scene,
): { strength: number; says: string[] } {
  let strength = 0;
  const says: string[] = [];
  for (const literal of new Set(literals.map((text) => text.replace(/^\w+:"|"$/g, '')))) {
    if (literal.length < 4 || literal.length > 120 || NO_LITERAL.test(literal)) continue;
    if (!contains(faultText, literal) || contains(calmText, literal)) continue;
    strength = Math.max(strength, literal.length >= 8 || /[_\s.]/.test(literal) ? 0.9 : 0.7);
    says.push(
      `"${literal}" of its diff is in the telemetry of the trouble, and not in that before`,
    );
  }
  if (numbers) {
    const { from, to, toText } = numbers;
    const moved = trouble.moved.find(({ onset }) =>
      SCALES.some((scale) => isNear(onset.from, from * scale) && isNear(onset.to, to * scale)),
    );
    if (moved) {
      strength = 1;
      says.push(
        `${moved.name} went from ${showNumber(moved.onset.from)} to ${showNumber(moved.onset.to)}, as its diff has it`,
      );
    } else if (isAbout || /timeout|interval|ttl/.test(kind)) {
      const form = formsOf(to, toText).find(
        (pattern) => pattern.test(faultText) && !pattern.test(calmText),
      );
      if (form) {
        strength = Math.max(strength, 0.6);
        says.push(`its new value ${toText} is in the telemetry of the trouble`);
      }
    }
  }
  return { strength, says: says.slice(0, 3) };
}

const SCALES = [1, 1e3, 1e-3, 60, 1 / 1_048_576];
const isNear = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 0.02 * Math.max(Math.abs(a), Math.abs(b), 1e-9);

/** How a message may write a value. Small numbers stand anywhere: only with a unit do they mean anything. */
function formsOf(value: number, text: string): RegExp[] {
  const plain = [text, String(value), String(value * 1_000)].filter((form) => Number(form) >= 20);
  const patterns = plain.map(
    (form) => new RegExp(`(?<![\\w.])${escapePattern(form)}(?![\\d.]\\d)`),
  );
  if (Number(text) > 1 && Number(text) < 20)
    patterns.push(
      new RegExp(
        `(?<![\\w.])${escapePattern(text)}(?=\\s?(?:ms|s|sec|seconds|m|min|attempts?|retries|times|conn\\w*|of)\\b)`,
      ),
    );
  return patterns;
}

/** A cause outside speaks against every change, less against one that the telemetry itself repeats. A surge speaks little against a change that makes load. */
function outsideDoubt(told: Judged | undefined, external: readonly ExternalCause[]) {
  const makesLoad =
    told !== undefined &&
    effectsOf(told.mechanism.kind).some(([symptom, weight]) => symptom === 'load' && weight >= 0.7);
  const weighed = external.map((cause) => ({
    cause,
    strength: cause.strength * (cause.kind === 'surge' && makesLoad ? 0.4 : 1),
  }));
  const top = weighed.reduce<(typeof weighed)[number] | undefined>(
    (best, each) => (each.strength > (best?.strength ?? 0) ? each : best),
    undefined,
  );
  if (top === undefined) return { factor: 1, against: [] };
  const evidence = told?.evidence ?? 0;
  const factor = 1 - top.strength * (evidence >= 0.9 ? 0.25 : evidence >= 0.6 ? 0.5 : 0.9);
  return {
    factor,
    against: [`the telemetry tells of a cause outside: ${top.cause.says.slice(0, 160)}`],
  };
}
