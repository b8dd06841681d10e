import type { Json } from '../../lib/json.js';
import type { Offered, TextCall } from './text-call.js';
import { TextCallFilter } from './text-call-filter.js';

/** Arguments that are shorter than this, in normalised characters, stand in many texts by chance. */
const LONG_ARGUMENTS = 40;
/** Where JSON that may be a call begins in the middle of a line. */
const JSON_CALL = /\{(?=\s*"(?:name|tool|tool_name|function|arguments|parameters)"\s*:)/g;

/** What a model could quote. */
export interface ConversationTexts {
  /** Texts of unknown origin, each by itself. */
  leaves: string[];
  /** JSON of results, in which a call may be spread over several members. */
  values: string[];
}

/**
 * The tool calls that stand in the texts of a conversation: pages, messages, names and attributes of nodes. A model that writes
 * one of them as text has quoted it, and a quotation is not executed, whichever spelling it has: white space, escapes, case,
 * the order of keys and the dialect make no difference. A call by the provider's own means is not compared.
 *
 * Takes time in proportion to the texts, and only if a model has written a call at all.
 */
export class QuotedCalls {
  private known: ConversationTexts | undefined;
  private normal: ConversationTexts | undefined;
  private parsed: Set<string> | undefined;

  constructor(
    private readonly texts: () => ConversationTexts,
    private readonly offered: Offered,
  ) {}

  /** Whether a call that a model wrote as text stands in the conversation. */
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

/** The calls that a text holds, in any dialect, also where their JSON begins in the middle of a line or is escaped. */
function callsIn(text: string, offered: Offered): string[] {
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

/** Letters and digits only, in lower case, escapes resolved. */
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
/** A text may be escaped as JSON in JSON, and as HTML in it. */
const ROUNDS = 3;

/** A text without the escapes of JSON, HTML and URLs. */
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
