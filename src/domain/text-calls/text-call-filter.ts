import { JsonEnd } from './json-end.js';
import { FIRST, openingAt, type CallOpening } from './opening.js';
import { mayBeCall, readCalls } from './read-calls.js';
import type { OfferedTools, TextCall } from './text-call.js';

/** Text to show, or a block of calls with its original text. */
export type FilterPiece =
  { type: 'text'; text: string } | { type: 'calls'; calls: TextCall[]; text: string };

/** Maximum length of a block of calls. A longer block is released as text. */
const MOST_HELD = 65_536;
/** Length of the beginning of a block that decides whether it may be a call. */
const MOST_START = 300;

/** An opening without an end so far. The text that is held back begins with it. */
interface PendingBlock {
  opening: CallOpening;
  json: JsonEnd | undefined;
  /** Index after the complete JSON; undefined if the JSON is incomplete. */
  afterJson: number | undefined;
  sure: boolean;
  /** Index at which the search for a closer continues. */
  searched: number;
}

/**
 * Extracts tool calls from the streamed text of a model. Small open models write them as XML, as
 * JSON, in fences or in special tokens. Only calls of offered tools are extracted. Holds back only
 * text that may begin a call. The output does not depend on how the text was cut into pieces. The
 * time is linear in the length of the text.
 */
export class TextCallFilter {
  /** Text that is held back. */
  private text = '';
  /** Whether only white space was released since the last line end. */
  private blank = true;
  private held: PendingBlock | undefined;

  constructor(private readonly offered: OfferedTools) {}

  push(delta: string): FilterPiece[] {
    this.text += delta;
    return this.drain(false);
  }

  /** Handles the end of the text: the text that was held back is a call or becomes text. */
  end(): FilterPiece[] {
    return this.drain(true);
  }

  private drain(final: boolean): FilterPiece[] {
    const out: FilterPiece[] = [];
    let from = 0;
    for (;;) {
      const at = this.held ? 0 : this.findOpening(out, from, final);
      if (at === undefined) return joined(out);
      const block = this.closeBlock(final);
      if (block === 'maybe') return joined(out);
      this.held = undefined;
      // No call begins at the first character, but one may begin after it.
      if (block === 'no') from = 1;
      else {
        out.push({ type: 'calls', calls: block.calls, text: this.text.slice(0, block.end) });
        this.text = this.text.slice(block.end);
        this.blank = true;
        from = 0;
      }
    }
  }

  /**
   * Releases text in which no call begins. Leaves an opening at the start of `text`; undefined if
   * there is none yet.
   */
  private findOpening(out: FilterPiece[], from: number, final: boolean): 0 | undefined {
    let seen = 0;
    FIRST.lastIndex = from;
    for (let match = FIRST.exec(this.text); match; match = FIRST.exec(this.text)) {
      const at = match.index;
      this.blank = blankAfter(this.blank, this.text.slice(seen, at));
      seen = at;
      const opening = openingAt(this.text, at, this.offered, this.blank);
      if (opening === 'no' || (opening === 'maybe' && final)) continue;
      this.emit(out, at);
      if (opening === 'maybe') return undefined;
      this.held = {
        opening,
        json: undefined,
        afterJson: undefined,
        sure: false,
        searched: opening.length,
      };
      return 0;
    }
    this.blank = blankAfter(this.blank, this.text.slice(seen));
    this.emit(out, this.text.length);
    return undefined;
  }

  private emit(out: FilterPiece[], length: number): void {
    if (length > 0) out.push({ type: 'text', text: this.text.slice(0, length) });
    this.text = this.text.slice(length);
  }

  private closeBlock(final: boolean): { end: number; calls: TextCall[] } | 'no' | 'maybe' {
    const held = this.held as PendingBlock;
    const found = this.findEnd(held, final);
    if (found === 'no') return 'no';
    if (found === 'maybe') return this.text.length > MOST_HELD ? 'no' : 'maybe';
    if (found.end > MOST_HELD) return 'no';
    const calls = readCalls(
      held.opening,
      this.text.slice(held.opening.length, found.body),
      this.offered,
    );
    return calls ? { end: found.end, calls } : 'no';
  }

  /** Finds the ends of the block's content and of the block. */
  private findEnd(
    held: PendingBlock,
    final: boolean,
  ): { body: number; end: number } | 'no' | 'maybe' {
    const { opening } = held;
    const start = this.text.slice(opening.length, opening.length + MOST_START);
    const space = /^\s*/.exec(start)?.[0].length ?? 0;
    const first = start[space];
    if (first === undefined) return final || start.length === MOST_START ? 'no' : 'maybe';
    if (!held.sure) {
      const verdict = this.mayHold(opening, start.slice(space), final);
      if (verdict === 'no') return 'no';
      held.sure = verdict === 'yes' || start.length === MOST_START;
    }
    if (first === '{' || first === '[')
      return this.findJsonEnd(held, opening.length + space, final);
    return this.findCloser(held, final);
  }

  /** Whether a block with this beginning may be a call. */
  private mayHold(
    { kind, tool }: CallOpening,
    start: string,
    final: boolean,
  ): 'yes' | 'no' | 'maybe' {
    if (/^[{[]/.test(start))
      return tool === undefined
        ? mayBeCall(start, this.offered)
        : start.startsWith('{')
          ? 'yes'
          : 'no';
    if (start.startsWith('<')) return kind === 'fence' ? 'no' : 'yes';
    if (kind !== 'wrapper') return 'no';
    if (start.startsWith('`'))
      return start.startsWith('```') ? 'yes' : '```'.startsWith(start) && !final ? 'maybe' : 'no';
    // The name of the tool comes first, with the prefixes and suffixes that models add.
    const [written = ''] = /^[\w.:-]*/.exec(start) ?? [];
    const open = written.length === start.length && !final;
    const name = written.replace(/^functions?\./, '');
    const names = [...this.offered.keys()];
    if (open)
      return names.some((known) => known.startsWith(name) || name.startsWith(known)) ||
        'functions.'.startsWith(name)
        ? 'maybe'
        : 'no';
    return this.offered.has(name.replace(/:\d+$/, '')) || name === 'function' ? 'yes' : 'no';
  }

  /**
   * Finds the end of a block that ends with its JSON and an optional closer. A wrapper may contain
   * more JSON.
   */
  private findJsonEnd(
    held: PendingBlock,
    at: number,
    final: boolean,
  ): { body: number; end: number } | 'no' | 'maybe' {
    const { kind, closers } = held.opening;
    held.json ??= new JsonEnd(at);
    for (;;) {
      held.afterJson ??= held.json.find(this.text);
      if (held.afterJson === undefined) return final ? this.cut(held) : 'maybe';
      const body: number = held.afterJson;
      if (kind === 'bare') return { body, end: body };
      const rest = this.text.slice(body, body + MOST_START);
      const behind = lowerCase(rest.trimStart());
      const space = rest.length - behind.length;
      const closer = closers.find((known) => behind.startsWith(known));
      if (closer !== undefined) return { body, end: body + space + closer.length };
      const open =
        closers.some((known) => known.startsWith(behind)) || (behind === '' && kind !== 'named');
      if (open && !final && rest.length < MOST_START) return 'maybe';
      const separator = kind === 'named' ? undefined : /^[\s,;]*[{[]/.exec(rest);
      const mayFollow = kind !== 'named' && /^[\s,;]*$/.test(rest);
      if (mayFollow && !final && rest.length < MOST_START) return 'maybe';
      // A fence with other content is not a call. A wrapper that is not closed is a call.
      if (!separator) return kind === 'fence' && !final ? 'no' : { body, end: body };
      held.json = new JsonEnd(body + separator[0].length - 1);
      held.afterJson = undefined;
    }
  }

  private findCloser(held: PendingBlock, final: boolean): { body: number; end: number } | 'maybe' {
    const { closers } = held.opening;
    const longest = Math.max(...closers.map((closer) => closer.length));
    const from = Math.max(held.opening.length, held.searched - longest);
    const tail = lowerCase(this.text.slice(from));
    held.searched = this.text.length;
    const [first] = closers
      .map((closer) => ({ at: tail.indexOf(closer), length: closer.length }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at);
    if (first) return { body: from + first.at, end: from + first.at + first.length };
    return final ? { body: this.text.length, end: this.text.length } : 'maybe';
  }

  /**
   * Handles a text that ends before the JSON does. The invalid JSON ends at the closer of its
   * block, or with the text.
   */
  private cut(held: PendingBlock): { body: number; end: number } | 'no' {
    if (held.opening.kind === 'bare' || held.opening.kind === 'fence') return 'no';
    const found = this.findCloser({ ...held, searched: 0 }, true);
    return found === 'maybe' ? 'no' : found;
  }
}

/** Whether only white space is on the line after this text. */
function blankAfter(before: boolean, text: string): boolean {
  const line = text.lastIndexOf('\n');
  return (line >= 0 || before) && /^\s*$/.test(text.slice(line + 1));
}

/** Converts only ASCII letters, so that the length stays the same. */
const lowerCase = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function joined(pieces: FilterPiece[]): FilterPiece[] {
  const out: FilterPiece[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    if (piece.type === 'text' && last?.type === 'text') last.text += piece.text;
    else out.push(piece);
  }
  return out;
}
