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
export interface TurnText {
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

/** The state after an event, and what is to be shown. */
export type Change = [TurnText, Piece[]];

const NOTHING = { text: '', thought: '' };

export const silence = (live: boolean): TurnText => ({
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
  state: TurnText,
  { turn, attempt }: { turn: number; attempt: number },
  voice: Voice,
  text: string,
): Change {
  let now = state;
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
export function settle(state: TurnText): Change {
  if (state.held.length === 0) return [{ ...state, holds: false }, []];
  const { held, shown: before } = state;
  let now: TurnText = { ...state, held: [], holds: false };
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

/**
 * The end of a run. Shows what is left of its summary: the turn may have said the beginning of it, and a chat that has spoken has
 * said all of it.
 */
export function conclude(state: TurnText, words: string): Change {
  if (state.live && state.spoke) return [state, []];
  const said = state.shown.text.trim();
  const repeats = said !== '' && words.startsWith(said);
  const rest = repeats ? words.slice(said.length) : words;
  if (rest === '') return [state, []];
  const [after, piece] = show(
    repeats ? { ...state, last: 'text' } : { ...state, last: null },
    'text',
    rest,
  );
  return [after, [piece]];
}

function show(state: TurnText, voice: Voice, text: string): [TurnText, Piece] {
  const shown = { ...state.shown, [voice]: state.shown[voice] + text };
  return [
    { ...state, shown, last: voice, spoke: state.spoke || voice === 'text' },
    { voice, text, fresh: state.last !== voice },
  ];
}

function hold(state: TurnText, voice: Voice, text: string): TurnText {
  const last = state.held.at(-1);
  if (last?.voice !== voice)
    return { ...state, held: [...state.held, { voice, text, fresh: false }] };
  return { ...state, held: [...state.held.slice(0, -1), { ...last, text: last.text + text }] };
}
