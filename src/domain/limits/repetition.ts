import type { Json, JsonObject } from '../../lib/json.js';

/** Something that a model had done. */
export interface Action {
  tool: string;
  args: JsonObject;
}

/** Turns that are compared, and how many of them may not be alike. Contract section 4. */
const WINDOW = 6;
const ALIKE = 3;
/** Identical actions, one after the other, that end an agent's work. */
const IDENTICAL = 3;
/** Arguments that say what an action is about; how it is done may differ from one near-repeat to the next. */
const KEY_ARGUMENTS = ['node', 'team', 'worker', 'path', 'file_path', 'query', 'thread_id'];

/** `http_probe({"node":"shop"})`. */
const describeAction = ({ tool, args }: Action): string =>
  `${tool}(${JSON.stringify(sorted(args))})`;

/**
 * Whether the last of these turns was nearly made before: the same tools with the same key arguments, in three of the last six.
 * @param turns the actions of each turn, oldest first
 * @returns the pattern
 */
export function detectLoop(turns: readonly (readonly Action[])[]): string | null {
  const signatures = turns.slice(-WINDOW).map(signatureOf);
  const last = signatures.at(-1) ?? '';
  return last !== '' && signatures.filter((signature) => signature === last).length >= ALIKE
    ? last
    : null;
}

/** The action that was made three times running, the last time just now: same tool, same arguments. */
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

/** Those of the arguments that say what it is about; all of them where none does. */
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
