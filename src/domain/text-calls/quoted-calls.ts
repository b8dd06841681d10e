import type { Json } from '../../lib/json.js';
import type { OfferedTools, TextCall } from './text-call.js';
import { TextCallFilter } from './text-call-filter.js';

/** Arguments with fewer normalised characters than this appear in many texts by chance. */
const LONG_ARGUMENTS = 40;
/** Matches the beginning of JSON that may be a call, also in the middle of a line. */
const JSON_CALL = /\{(?=\s*"(?:name|tool|tool_name|function|arguments|parameters)"\s*:)/g;

/** The texts that a model could quote. */
export interface ConversationTexts {
  /** Single texts of unknown origin. */
  leaves: string[];
  /** The JSON of results. A call may be spread over several members. */
  values: string[];
}

/**
 * Finds tool calls that a model quotes from the texts of a conversation: pages, messages, names and
 * attributes of nodes. A quoted call is not executed. White space, escapes, case, order of keys and
 * dialect are ignored in the comparison. Native tool calls are not compared.
 *
 * The time is linear in the length of the texts. Runs only if a model has written a call as text.
 */
export class QuotedCalls {
  private known: ConversationTexts | undefined;
  private normal: ConversationTexts | undefined;
  private parsed: Set<string> | undefined;

  constructor(
    private readonly texts: () => ConversationTexts,
    private readonly offered: OfferedTools,
  ) {}

  /** Whether the conversation contains a call that a model wrote as text. */
  has({ tool, input, written }: TextCall): boolean {
    this.known ??= this.texts();
    this.normal ??= {
      leaves: this.known.leaves.map(normalise),
      values: this.known.values.map(normalise),
    };
    const { leaves, values } = this.normal;
    const whole = normalise(written);
    if ([...leaves, ...values].some((text) => text.includes(whole))) return true;
    const args = normalise(input);
    if (args.length >= LONG_ARGUMENTS && leaves.some((text) => text.includes(args))) return true;
    this.parsed ??= new Set(this.known.leaves.flatMap((text) => callsIn(text, this.offered)));
    return this.parsed.has(keyOf(tool, input));
  }
}

/**
 * Returns the calls in a text, in any dialect, also if their JSON begins in the middle of a line or
 * is escaped.
 */
function callsIn(text: string, offered: OfferedTools): string[] {
  const plain = unescaped(text);
  return [...new Set([text, plain])].flatMap((version) => {
    const filter = new TextCallFilter(offered);
    const pieces = [...filter.push(version.replace(JSON_CALL, '\n{')), ...filter.end()];
    return pieces.flatMap((piece) =>
      piece.type === 'calls' ? piece.calls.map(({ tool, input }) => keyOf(tool, input)) : [],
    );
  });
}

function keyOf(tool: string, input: string): string {
  let args: string;
  try {
    args = JSON.stringify(sorted(JSON.parse(input) as Json));
  } catch {
    args = input;
  }
  return `${tool} ${normalise(args)}`;
}

const sorted = (value: Json): Json =>
  typeof value !== 'object' || value === null
    ? value
    : Array.isArray(value)
      ? value.map(sorted)
      : Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, member]) => [key, sorted(member)]),
        );

/** Reduces a text to letters and digits in lower case, with escapes resolved. */
const normalise = (text: string): string =>
  unescaped(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

const NAMED: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};
const ESCAPE =
  /\\+u([0-9a-f]{4})|\\+x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|&(lt|gt|amp|quot|apos);|\\+([nrtbf])|\\+(.)/gi;
/** Rounds of unescaping: a text may be escaped as JSON within JSON, and as HTML within that. */
const ROUNDS = 3;

/** Resolves the escapes of JSON, HTML and URLs. */
function unescaped(text: string): string {
  let now = text;
  for (let round = 0; round < ROUNDS; round++) {
    const next = now.replace(ESCAPE, (all, ...found: (string | undefined)[]) => {
      const [u, x, percent, hex, decimal, name, blank, char] = found;
      const code = u ?? x ?? percent ?? hex;
      if (code !== undefined) return charOf(Number.parseInt(code, 16), all);
      if (decimal !== undefined) return charOf(Number(decimal), all);
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? all;
      return blank === undefined ? (char ?? all) : '\n';
    });
    if (next === now) break;
    now = next;
  }
  return now;
}

const charOf = (code: number, otherwise: string): string =>
  code > 0x10ffff ? otherwise : String.fromCodePoint(code);
