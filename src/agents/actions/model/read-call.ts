import type { JsonObject } from '../../../lib/json.js';
import { MOST_ARGUMENTS } from '../../../models/calls/answer-bounds.js';
import { plainText } from '../../../models/calls/plain-text.js';

/**
 * Bounds of a call that a model writes: UTF-16 code units of its tool's name, and levels of
 * nesting.
 */
const MOST_NAME = 100;
const DEEPEST = 32;
/** UTF-16 code units that are kept of arguments that cannot be read. */
const KEPT = 2_000;

/**
 * A model's call in a form that the log accepts: the name is not empty, the arguments are an object
 * of bounded size and depth.
 */
export interface ReadCall {
  tool: string;
  args: JsonObject;
  /** What is wrong with the call, for the model. */
  fault?: string;
}

/** Reads a call of a model, which is foreign input. Never throws. */
export function readCall({ tool: name, input }: { tool: string; input: string }): ReadCall {
  const tool = plainText(name).trim().slice(0, MOST_NAME);
  const unparsed = {
    unparsed: plainText(input.slice(0, KEPT).replace(/[\ud800-\udbff]$/, '')),
  };
  if (tool === '') return { tool: 'unnamed', args: unparsed, fault: 'The call has no tool name.' };
  if (input.length > MOST_ARGUMENTS)
    return {
      tool,
      args: unparsed,
      fault: `The arguments are longer than ${MOST_ARGUMENTS} characters.`,
    };
  if (depthOf(input) > DEEPEST)
    return {
      tool,
      args: unparsed,
      fault: `The arguments are nested deeper than ${DEEPEST} levels.`,
    };
  const args = parse(input);
  return args
    ? { tool, args }
    : { tool, args: unparsed, fault: 'The arguments are not a JSON object.' };
}

function parse(input: string): JsonObject | undefined {
  try {
    const args: unknown = JSON.parse(input === '' ? '{}' : input, (_, value: unknown) =>
      typeof value === 'string' ? plainText(value) : value,
    );
    return typeof args === 'object' && args !== null && !Array.isArray(args)
      ? (args as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The depth of nested brackets outside of strings; linear in the length of the text. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < json.length; i++) {
    const character = json[i];
    if (quoted) {
      if (character === '\\') i++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}
