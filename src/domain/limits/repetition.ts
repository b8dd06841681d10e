import type { Json, JsonObject } from '../../lib/json.js';

/** A tool call of a model. */
export interface Action {
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
const describeAction = ({ tool, args }: Action): string =>
  `${tool}(${JSON.stringify(sorted(args))})`;

/**
 * Detects a loop: the last turn used the same tools with the same key arguments as others, three
 * times in the last six turns.
 * @param turns the calls of each turn, oldest first
 * @returns the repeated pattern
 */
export function detectLoop(turns: readonly (readonly Action[])[]): string | null {
  const signatures = turns.slice(-WINDOW).map(signatureOf);
  const last = signatures.at(-1) ?? '';
  return last !== '' && signatures.filter((signature) => signature === last).length >= ALIKE
    ? last
    : null;
}

/**
 * The call that was made three times in a row, most recently just now: same tool, same arguments.
 */
export function repeatedAction(actions: readonly Action[]): string | null {
  if (actions.length < IDENTICAL) return null;
  const [first, ...others] = actions.slice(-IDENTICAL).map(describeAction);
  return others.every((other) => other === first) ? (first ?? null) : null;
}

function signatureOf(actions: readonly Action[]): string {
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
