import { escapePattern } from '../../lib/text.js';
import { clamp, showNumber } from '../stats.js';
import { inWords, specificityOf, type TextSymptom } from '../symptoms.js';
import { wordWeight, type ChangeScene } from './change-scene.js';
import { effectsOf, type Mechanism } from './mechanism.js';
import { wordsOf } from './words.js';

/** How well a mechanism of a change explains the trouble. */
export interface MechanismScore {
  mechanism: Mechanism;
  /** 0 to 1. */
  score: number;
  /** Of the symptom that it brings about. */
  specificity: number;
  /** How much of its diff the telemetry repeats, 0 to 1. */
  evidence: number;
  for: string[];
  against: string[];
}

/**
 * The weakest claim of a mechanism whose words the trouble does not mention. A version bump may do
 * anything, so it claims less.
 */
const UNFOCUSED = 0.45;
const UNFOCUSED_VERSION = 0.15;

/** Judges a mechanism by the symptoms that it brings about, and by what telemetry repeats of it. */
export function judgeMechanism(mechanism: Mechanism, scene: ChangeScene): MechanismScore {
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
  { faultText, calmText, trouble }: ChangeScene,
): { strength: number; says: string[] } {
  let strength = 0;
  const says: string[] = [];
  for (const literal of new Set(literals.map((text) => text.replace(/^\w+:"|"$/g, '')))) {
    if (literal.length < 4 || literal.length > 120 || NO_LITERAL.test(literal)) continue;
    if (!contains(faultText, literal) || contains(calmText, literal)) continue;
    strength = Math.max(strength, literal.length >= 8 || /[_\s.]/.test(literal) ? 0.9 : 0.7);
    says.push(
      `"${literal}" of its diff is in the telemetry of the failure, and not in that before`,
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
        says.push(`its new value ${toText} is in the telemetry of the failure`);
      }
    }
  }
  return { strength, says: says.slice(0, 3) };
}

const SCALES = [1, 1e3, 1e-3, 60, 1 / 1_048_576];
const isNear = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 0.02 * Math.max(Math.abs(a), Math.abs(b), 1e-9);

/**
 * How a message may write a value. Small numbers stand anywhere: only with a unit do they mean
 * anything.
 */
function formsOf(value: number, text: string): RegExp[] {
  const plain = [text, String(value), String(value * 1_000)].filter((form) => Number(form) >= 20);
  const patterns = plain.map(
    (form) => new RegExp(`(?<![\\w.])${escapePattern(form)}(?![\\d.]\\d)`),
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
