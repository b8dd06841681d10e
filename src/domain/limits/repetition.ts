import type { Json, JsonObject } from '../../lib/json.js';

/** A tool call of a model. */
export interface RepeatableCall {
  tool: string;
  args: JsonObject;
}

/** Number of compared turns, and of similar ones that count as a loop (contract section 4). */
const WINDOW = 6;
const ALIKE = 3;
/** Consecutive identical calls that end an agent's work. */
const IDENTICAL = 3;
/** Arguments that name the subject of a call; others may differ between similar calls. */
const KEY_ARGUMENTS = ['node', 'team', 'worker', 'path', 'file_path', 'query', 'thread_id'];

/** `http_probe({"node":"shop"})`. */
const describeAction = ({ tool, args }: RepeatableCall): string =>
  `${tool}(${JSON.stringify(sorted(args))})`;

/**
 * Detects a loop: the last turn used the same tools with the same key arguments as others, three
 * times in the last six turns.
 * @param turns the calls of each turn, oldest first
 * @returns the repeated pattern
 */
export function detectLoop(turns: readonly (readonly RepeatableCall[])[]): string | null {
  const signatures = turns.slice(-WINDOW).map(signatureOf);
  const last = signatures.at(-1) ?? '';
  return last !== '' && signatures.filter((signature) => signature === last).length >= ALIKE
    ? last
    : null;
}

/**
 * The call that was made three times in a row, most recently just now: same tool, same arguments.
 * It was also made in an earlier turn: a model that has not read a result of a call may not know
 * that it need not repeat it.
 * @param turns the calls of each turn, oldest first
 */
export function repeatedAction(turns: readonly (readonly RepeatableCall[])[]): string | null {
  const latest = turns.flat().slice(-IDENTICAL).map(describeAction);
  const [call] = latest;
  if (call === undefined || latest.length < IDENTICAL) return null;
  if (latest.some((other) => other !== call)) return null;
  const earlier = turns.filter((actions) => actions.length > 0).slice(0, -1);
  return earlier.flat().some((action) => describeAction(action) === call) ? call : null;
}

function signatureOf(actions: readonly RepeatableCall[]): string {
  return actions
    .map(({ tool, args }) => describeAction({ tool, args: keyArguments(args) }))
    .sort()
    .join('|');
}

/** The arguments that name the subject; all of them if none does. */
function keyArguments(args: JsonObject): JsonObject {
  const keys = Object.entries(args).filter(([key]) => KEY_ARGUMENTS.includes(key));
  return keys.length > 0 ? Object.fromEntries(keys) : args;
}

function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
