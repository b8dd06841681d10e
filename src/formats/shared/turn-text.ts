/** Text, or the thought behind it. */
export type Voice = 'text' | 'thought';

/** Something to show. `fresh`: it begins a block of its own, and does not go on with what was shown last. */
export interface Piece {
  voice: Voice;
  text: string;
  fresh: boolean;
}

/**
 * What one agent says, so that it can be shown in a format that cannot take anything back. Of several attempts of a turn only
 * the last one's text counts, so what an attempt says is held until its turn is recorded. A chat is shown as it is said: it is
 * tried again only where nothing was said yet; where that happens all the same (a process was lost), the new attempt is held,
 * and only what it says beyond the old one is shown.
 */
export interface Speech {
  live: boolean;
  turn: number;
  attempt: number;
  holds: boolean;
  held: readonly Piece[];
  /** Of this turn. */
  shown: Readonly<Record<Voice, string>>;
  /** Whose block is open. */
  last: Voice | null;
  /** Some text was shown, in this turn or before. */
  spoke: boolean;
}

type Change = [Speech, Piece[]];

const NOTHING = { text: '', thought: '' };

export const silence = (live: boolean): Speech => ({
  live,
  turn: 0,
  attempt: 1,
  holds: !live,
  held: [],
  shown: NOTHING,
  last: null,
  spoke: false,
});

/** Something is said. */
export function speak(
  speech: Speech,
  { turn, attempt }: { turn: number; attempt: number },
  voice: Voice,
  text: string,
): Change {
  let now = speech;
  let before: Piece[] = [];
  if (turn !== now.turn) {
    [now, before] = settle(now);
    now = { ...silence(now.live), turn, attempt, spoke: now.spoke };
  } else if (attempt > now.attempt) {
    now = {
      ...now,
      attempt,
      held: [],
      holds: !now.live || now.shown.text !== '' || now.shown.thought !== '',
    };
  } else if (attempt < now.attempt) return [now, []];
  if (now.holds) return [hold(now, voice, text), before];
  const [after, piece] = show(now, voice, text);
  return [after, [...before, piece]];
}

/** The turn is recorded, or will never be: what was held counts. */
export function settle(speech: Speech): Change {
  if (speech.held.length === 0) return [{ ...speech, holds: false }, []];
  const { held, shown: before } = speech;
  let now: Speech = { ...speech, held: [], holds: false };
  const pieces: Piece[] = [];
  const known = { ...NOTHING };
  for (const voice of ['text', 'thought'] as const) {
    const whole = held.map((piece) => (piece.voice === voice ? piece.text : '')).join('');
    if (whole.startsWith(before[voice])) known[voice] = before[voice];
    // It says something else than what was shown before: that is no part of it.
    else now = { ...now, last: null, shown: { ...now.shown, [voice]: '' } };
  }
  for (const { voice, text } of held) {
    const rest = text.slice(known[voice].length);
    known[voice] = known[voice].slice(text.length);
    if (rest === '') continue;
    const [after, piece] = show(now, voice, rest);
    now = after;
    pieces.push(piece);
  }
  return [now, pieces];
}

/** What is left to be shown of a last word: it may repeat what the turn has said, and a chat that has spoken has said it. */
export function conclude(speech: Speech, words: string): Change {
  if (speech.live && speech.spoke) return [speech, []];
  const said = speech.shown.text.trim();
  const repeats = said !== '' && words.startsWith(said);
  const rest = repeats ? words.slice(said.length) : words;
  if (rest === '') return [speech, []];
  const [after, piece] = show(
    repeats ? { ...speech, last: 'text' } : { ...speech, last: null },
    'text',
    rest,
  );
  return [after, [piece]];
}

function show(speech: Speech, voice: Voice, text: string): [Speech, Piece] {
  const shown = { ...speech.shown, [voice]: speech.shown[voice] + text };
  return [
    { ...speech, shown, last: voice, spoke: speech.spoke || voice === 'text' },
    { voice, text, fresh: speech.last !== voice },
  ];
}

function hold(speech: Speech, voice: Voice, text: string): Speech {
  const last = speech.held.at(-1);
  if (last?.voice !== voice)
    return { ...speech, held: [...speech.held, { voice, text, fresh: false }] };
  return { ...speech, held: [...speech.held.slice(0, -1), { ...last, text: last.text + text }] };
}
