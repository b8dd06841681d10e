import { escapePattern } from '../../lib/text.js';
import { clamp, showNumber } from '../stats.js';
import { inWords, specificityOf, type TextSymptom } from '../symptoms.js';
import { wordWeight, type ChangeScene } from './change-scene.js';
import { hasNumbers, useOfLimit } from './live-settings.js';
import { effectsOf, type Mechanism } from './mechanisms/mechanism.js';
import { wordsOf } from './words.js';

/** How well a mechanism of a change explains the failure. */
export interface MechanismScore {
  mechanism: Mechanism;
  /** 0 to 1. */
  score: number;
  /** Score of the symptom that it causes. */
  specificity: number;
  /** How strongly its effect shows, 0 to 1. */
  effect: number;
  /** The share of its diff that telemetry repeats, 0 to 1. */
  evidence: number;
  /** The measurements that contradict it. */
  doubt?: string;
  for: string[];
  against: string[];
}

/**
 * The weakest claim of a mechanism whose words the failure does not mention. A version bump may
 * have any effect, so it claims less.
 */
const UNFOCUSED = 0.45;
const UNFOCUSED_VERSION = 0.15;

/** A mechanism whose symptom shows no more than this explains nothing by itself. */
const LEAST_EFFECT = 0.3;
const NO_EFFECT = 0.5;
/** The weight of a setting whose new value is measured: it is live. */
const LIVE = 0.6;

/**
 * Judges a mechanism by the symptoms that it causes, and by the parts of it that telemetry repeats.
 * @param node where the change went live
 */
export function judgeMechanism(
  mechanism: Mechanism,
  node: string | undefined,
  scene: ChangeScene,
): MechanismScore {
  let effect = 0;
  let symptom: TextSymptom | undefined;
  for (const [name, weight] of effectsOf(mechanism.kind)) {
    const shown = weight * (scene.symptoms.get(name) ?? 0);
    if (shown > effect) [effect, symptom] = [shown, name];
  }
  const words = wordsOf(mechanism.about);
  const about = words.filter((word) => scene.said.has(word));
  const doubt = doubtOf(mechanism, node, scene);
  const evidence = evidenceFor(
    mechanism,
    { isAbout: about.length > 0, isDoubted: doubt !== undefined, node },
    scene,
  );
  const focus = clamp(about.reduce((sum, word) => sum + wordWeight(word, scene), 0) / 1.2);
  const least = mechanism.kind.startsWith('version') ? UNFOCUSED_VERSION : UNFOCUSED;
  const plausible =
    effect *
    (mechanism.weak ? 0.6 : 1) *
    (effect < LEAST_EFFECT ? NO_EFFECT : 1) *
    (evidence.strength < LIVE ? sizeOf(mechanism) : 1) *
    (doubt === undefined ? 1 : DOUBTED) *
    (least + (1 - least) * Math.max(focus, evidence.strength, evidence.isLive ? LIVE : 0));
  const name = mechanism.kind.replaceAll('-', ' ');
  return {
    mechanism,
    score: Math.max(plausible, 0.75 * evidence.strength),
    specificity: symptom === undefined ? 1 : specificityOf(symptom),
    effect,
    evidence: evidence.strength,
    ...(doubt !== undefined && { doubt }),
    for: [
      symptom === undefined || effect < LEAST_EFFECT
        ? `what it does: ${name}`
        : `${name}, which brings about ${inWords(symptom)}`,
      ...evidence.says,
    ],
    against: [
      ...(effect < LEAST_EFFECT ? [`${name} does not cause the observed symptoms`] : []),
      ...(doubt === undefined ? [] : [doubt]),
    ],
  };
}

/** The remaining factor of a mechanism that measurements contradict: too little for a cause. */
const DOUBTED = 0.12;
/**
 * A limit that is used less than this, or a timeout that is this many times as long, has a reserve.
 */
const USED_UP = 0.9;
const FAR_BELOW = 3;
/** A timeout without a unit that is at least this large is in milliseconds. */
const LEAST_MS = 1_000;

/** The measurements that contradict a mechanism: a limit is not reached, a timeout is far away. */
function doubtOf(
  { kind, numbers }: Mechanism,
  node: string | undefined,
  { anomalies, series, usual, calls }: ChangeScene,
): string | undefined {
  if (!numbers) return undefined;
  if (kind === 'timeout-lowered' && node !== undefined) {
    const timeout = numbers.to >= LEAST_MS ? numbers.to / 1_000 : numbers.to;
    const known = [node, ...(calls.get(node) ?? [])].flatMap((id) => usual.get(id) ?? []);
    const longest = Math.max(...known);
    return known.length > 0 && longest > 0 && longest * FAR_BELOW < timeout
      ? `requests usually take ${showNumber(longest)} s at most: it ends only those that are slow for another reason`
      : undefined;
  }
  const limit = kind.endsWith('limit-lowered') ? settingOf(numbers, anomalies.settings) : undefined;
  const use = limit && useOfLimit(limit, series);
  return use !== undefined && use < USED_UP
    ? `its new limit is not reached: ${Math.round(100 * use)} % of it is used`
    : undefined;
}

const settingOf = (
  numbers: NonNullable<Mechanism['numbers']>,
  settings: ChangeScene['anomalies']['settings'],
) => settings.find((each) => hasNumbers(each, numbers));

/** A setting that is doubled or halved counts as changed in full. */
const FULL = 2;
const LEAST_SIZE = 0.4;

/** How much a setting is changed, 0 to 1: a quarter more or less rarely causes a failure. */
function sizeOf({ numbers }: Mechanism): number {
  const { from = 0, to = 0 } = numbers ?? {};
  if (!(from > 0 && to > 0)) return 1;
  const steps = Math.abs(Math.log(to / from)) / Math.log(FULL);
  return clamp(LEAST_SIZE + (1 - LEAST_SIZE) * steps);
}

const NO_LITERAL =
  /^(true|false|null|none|error|string|name|value|data|type|status|code|info|warn|message|default|https?:\/\/)$/i;
const contains = (text: string, literal: string): boolean =>
  text.includes(literal) && new RegExp(`(?<!\\w)${escapePattern(literal)}(?!\\w)`).test(text);

/** Whether telemetry repeats content of the diff: a literal, or the numbers of a setting. */
function evidenceFor(
  { literals = [], numbers, kind }: Mechanism,
  { isAbout, isDoubted, node }: { isAbout: boolean; isDoubted: boolean; node: string | undefined },
  { faultText, calmText, anomalies }: ChangeScene,
): { strength: number; isLive: boolean; says: string[] } {
  let strength = 0;
  let isLive = false;
  const says: string[] = [];
  for (const literal of new Set(literals.map((text) => text.replace(/^\w+:"|"$/g, '')))) {
    if (literal.length < 4 || literal.length > 120 || NO_LITERAL.test(literal)) continue;
    if (!contains(faultText, literal) || contains(calmText, literal)) continue;
    strength = Math.max(strength, literal.length >= 8 || /[_\s.]/.test(literal) ? 0.9 : 0.7);
    says.push(
      `"${literal}" of its diff is in the telemetry of the failure, and not in that before`,
    );
  }
  const grown = kind === 'instances-raised' ? grownInstances(node, anomalies) : undefined;
  if (grown) {
    strength = LIVE;
    says.push(
      `${grown.name} went from ${showNumber(grown.onset.from)} to ${showNumber(grown.onset.to)}`,
    );
  }
  if (numbers) {
    const { to, toText } = numbers;
    const setting = settingOf(numbers, anomalies.settings);
    const moved = anomalies.moved.find((each) => hasNumbers(each, numbers));
    const shown = setting ?? moved;
    if (shown) {
      isLive = true;
      // A setting with its new value does not show any harm.
      if (!setting) strength = 1;
      says.push(
        `${shown.name} went from ${showNumber(shown.onset.from)} to ${showNumber(shown.onset.to)}, as its diff has it`,
      );
    } else if (!isDoubted && (isAbout || /timeout|interval|ttl/.test(kind))) {
      const form = formsOf(to, toText).find(
        (pattern) => pattern.test(faultText) && !pattern.test(calmText),
      );
      if (form) {
        strength = Math.max(strength, 0.6);
        says.push(`its new value ${toText} is in the telemetry of the failure`);
      }
    }
  }
  return { strength, isLive, says: says.slice(0, 3) };
}

/** The number of running instances of a node, if there are more than before. */
const grownInstances = (node: string | undefined, { moved }: ChangeScene['anomalies']) =>
  moved.find(
    (each) =>
      each.node === node && each.onset.direction === 1 && /replicas|instances|pods/.test(each.name),
  );

/**
 * The forms of a value in a message. Small numbers occur anywhere: only with a unit are they
 * meaningful.
 */
function formsOf(value: number, text: string): RegExp[] {
  const plain = [text, String(value), String(value * 1_000)].filter((form) => Number(form) >= 20);
  const patterns = plain.map(
    // `LIMIT 50` in a statement is no measurement.
    (form) =>
      new RegExp(`(?<![\\w.]|\\b(?:limit|offset) )${escapePattern(form)}(?![\\d.]\\d)`, 'i'),
  );
  if (Number(text) > 1 && Number(text) < 20)
    patterns.push(
      // `retry attempt 3/12`
      new RegExp(
        `(?<=\\b(?:attempts?|retry|retries|try) \\d{1,3} ?(?:/|of) ?)${escapePattern(text)}(?!\\w)`,
        'i',
      ),
      new RegExp(
        `(?<![\\w.])${escapePattern(text)}(?=\\s?(?:ms|s|sec|seconds|m|min|attempts?|retries|times|conn\\w*|of)\\b)`,
      ),
    );
  return patterns;
}
