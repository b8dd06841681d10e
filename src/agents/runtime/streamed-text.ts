import type { DraftEvent, EventData, Source, Turn } from '../../domain/events/event.js';

/**
 * Maximum text of one event, in UTF-16 code units. The text of a model is never cut, so a longer
 * text becomes several events.
 */
const MOST_TEXT = 16_384;

export type StreamedName = 'llm.stream' | 'llm.reasoning';

interface Delta {
  name: StreamedName;
  text: string;
  turn: Turn;
}

/** Text of a model that is not recorded yet. Text of one kind and attempt is joined. */
export class StreamedText {
  private deltas: Delta[] = [];

  add(name: StreamedName, text: string, turn: Turn): void {
    const open = this.deltas.at(-1);
    if (open?.name === name && isSamePlace(open.turn, turn)) open.text += text;
    else this.deltas.push({ name, text, turn });
  }

  /** Takes the text out, as events. */
  take(source: Source): DraftEvent[] {
    const { deltas } = this;
    this.deltas = [];
    return deltas.flatMap(({ name, text, turn }) =>
      [...piecesOf(text)].map((piece): DraftEvent => {
        const data =
          name === 'llm.stream' ? { content: piece, ...turn } : { thought: piece, ...turn };
        return { name, source, data: data as EventData['llm.stream'] & EventData['llm.reasoning'] };
      }),
    );
  }
}

const isSamePlace = (a: Turn, b: Turn) =>
  a.dispatch_id === b.dispatch_id && a.turn === b.turn && a.attempt === b.attempt;

/** A text in pieces of at most MOST_TEXT, cut between code points. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + MOST_TEXT, text.length);
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to--;
    yield text.slice(from, to);
    from = to;
  }
}
