import type { OfferedTools } from './text-call.js';

/**
 * The possible beginning of a tool call in text. `wrapper`: a tag or token that marks a call.
 * `named`: a tag that also names the tool, so that arguments follow. `fence`: a code block. `bare`:
 * JSON at the start of a line.
 */
export interface CallOpening {
  kind: 'wrapper' | 'named' | 'fence' | 'bare';
  /** Length of the tag; its content follows. */
  length: number;
  /** Texts in lower case that end the block. Empty: the block ends with its JSON. */
  closers: readonly string[];
  /** The tool of a `named` opening. */
  tool?: string;
}

/** `maybe`: more text is needed to decide. */
export type OpeningMatch = CallOpening | 'no' | 'maybe';

/** Maximum length of a tag. */
const MOST_TAG = 200;
const WRAPPERS = [
  'tool_call',
  'tool_calls',
  'toolcall',
  'toolcalls',
  'tool_use',
  'function_call',
  'function_calls',
  'functioncall',
];
/**
 * Special tokens of models, which appear in the text if the server does not interpret them; with
 * ASCII bars.
 */
const TOKENS: Readonly<Record<string, readonly string[]>> = {
  '|tool_call|': ['<|/tool_call|>', '<|end_tool_call|>'],
  '|tool_calls|': ['<|/tool_calls|>'],
  '|python_tag|': ['<|eom_id|>', '<|eot_id|>'],
  '|tool_call_begin|': ['<|tool_call_end|>', '<｜tool▁call▁end｜>'],
  '|tool_calls_begin|': ['<|tool_calls_end|>', '<｜tool▁calls▁end｜>'],
  '|tool_calls_section_begin|': ['<|tool_calls_section_end|>'],
};
const SQUARE: Readonly<Record<string, readonly string[]>> = {
  '[tool_calls]': ['[/tool_calls]'],
  '[tool_call]': ['[/tool_call]'],
  '[tool_request]': ['[end_tool_request]'],
};
const FENCES = [
  '',
  'json',
  'tool_call',
  'tool_calls',
  'tool',
  'tool_use',
  'function_call',
  'function',
];
const FENCE = '```';

/** Characters that can begin an opening. */
export const FIRST = /[<`[{]/g;

/** Replaces the bars and blocks in DeepSeek's tokens by ASCII characters. Keeps the length. */
export const plainToken = (text: string): string => text.replace(/｜/g, '|').replace(/▁/g, '_');

/**
 * Whether a tool call begins at an index. Further text can change only the verdict `maybe`.
 * @param blankBefore whether only white space precedes it on its line
 */
export function openingAt(
  text: string,
  at: number,
  offered: OfferedTools,
  blankBefore: boolean,
): OpeningMatch {
  switch (text[at]) {
    case '<':
      return tagAt(text, at, offered);
    case '`':
      return fenceAt(text, at);
    case '[': {
      const square = squareAt(text, at);
      return square === 'no' && blankBefore ? bare : square;
    }
    case '{':
      return blankBefore ? bare : 'no';
    default:
      return 'no';
  }
}

const bare: CallOpening = { kind: 'bare', length: 0, closers: [] };

function squareAt(text: string, at: number): OpeningMatch {
  const here = text.slice(at, at + 20).toLowerCase();
  for (const [word, closers] of Object.entries(SQUARE)) {
    if (here.startsWith(word)) return { kind: 'wrapper', length: word.length, closers };
    if (word.startsWith(here)) return 'maybe';
  }
  return 'no';
}

function fenceAt(text: string, at: number): OpeningMatch {
  const here = text.slice(at, at + 40);
  if (!here.startsWith(FENCE)) return FENCE.startsWith(here) ? 'maybe' : 'no';
  const end = here.indexOf('\n');
  const info = here
    .slice(FENCE.length, end < 0 ? undefined : end)
    .trim()
    .toLowerCase();
  if (end < 0)
    return here.length < 40 && FENCES.some((known) => known.startsWith(info)) ? 'maybe' : 'no';
  return FENCES.includes(info) ? { kind: 'fence', length: end + 1, closers: [FENCE] } : 'no';
}

function tagAt(text: string, at: number, offered: OfferedTools): OpeningMatch {
  const here = text.slice(at + 1, at + MOST_TAG);
  const end = here.search(/[<>]/);
  if (end < 0) return here.length < MOST_TAG - 1 && mayBecomeTag(here, offered) ? 'maybe' : 'no';
  if (here[end] === '<') return 'no';
  const tag = here.slice(0, end);
  const length = end + 2;

  const tokenClosers = TOKENS[plainToken(tag).toLowerCase()];
  if (tokenClosers) return { kind: 'wrapper', length, closers: tokenClosers };

  const [, word = '', rest = ''] = /^([\w.-]+)((?:\s|=)[^]*)?$/.exec(tag) ?? [];
  const lower = word.toLowerCase();
  const name = /^(?:=|\s+name\s*=)\s*["']?([\w.-]+)["']?\s*$/.exec(rest)?.[1];
  if (
    name !== undefined &&
    (lower === 'function' || lower === 'invoke' || lower === 'tool' || WRAPPERS.includes(lower))
  )
    return offered.has(name)
      ? { kind: 'named', length, closers: [`</${lower}>`], tool: name }
      : 'no';
  if (WRAPPERS.includes(lower)) return { kind: 'wrapper', length, closers: [`</${lower}>`] };
  if (rest === '' && offered.has(word))
    return { kind: 'named', length, closers: [`</${lower}>`], tool: word };
  return 'no';
}

/** Whether the text after `<`, still without `>`, may become a known tag. */
function mayBecomeTag(start: string, offered: OfferedTools): boolean {
  const lower = plainToken(start).toLowerCase();
  const known = [...Object.keys(TOKENS), ...WRAPPERS];
  if (known.some((word) => word.startsWith(lower))) return true;
  if ([...offered.keys()].some((name) => name.startsWith(start))) return true;
  const [, word = '', rest = ''] = /^(\w+)([^]*)$/.exec(lower) ?? [];
  const takesName = ['function', 'invoke', 'tool', ...WRAPPERS];
  return rest === ''
    ? takesName.some((name) => name.startsWith(word)) && word !== ''
    : takesName.includes(word) && /^[\s=]/.test(rest);
}
