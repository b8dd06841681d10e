import { unsaid } from '../../lib/markdown.js';

/** The two kinds of model output: text and thoughts. */
export type Voice = 'text' | 'thought';

/** Text to send. `fresh`: it begins a new block instead of continuing the last one. */
export interface TextPiece {
  voice: Voice;
  text: string;
  fresh: boolean;
}

/**
 * The text of one agent, for formats that cannot retract text. If a turn has several attempts, only
 * the text of the last one is valid. So the text of an attempt is held back until its turn is
 * recorded. The text of a chat is sent immediately: a chat turn is normally repeated only if it has
 * no text yet. If it is repeated after text was sent (its process died), the new text is held back,
 * and only the part beyond the earlier text is sent.
 */
export interface TurnText {
  live: boolean;
  turn: number;
  attempt: number;
  holds: boolean;
  held: readonly TextPiece[];
  /** The text of this turn that was sent, by voice. */
  shown: Readonly<Record<Voice, string>>;
  /** The voice of the open block. */
  last: Voice | null;
  /** Whether text was sent in this turn or before. */
  spoke: boolean;
}

/** The state after an event, and the pieces to send. */
export type TurnTextStep = [TurnText, TextPiece[]];

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

/** Handles new text of the agent. */
export function speak(
  state: TurnText,
  { turn, attempt }: { turn: number; attempt: number },
  voice: Voice,
  text: string,
): TurnTextStep {
  let now = state;
  let before: TextPiece[] = [];
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
  // For a diagnosis, this text follows a recorded turn: it is the conclusion, which the turn may
  // contain already.
  const more = now.live ? text : unsaid(now.shown.text, text);
  if (more === '') return [now, before];
  const [after, piece] = show(now, voice, more);
  return [after, [...before, piece]];
}

/** Handles the recording of a turn, or the end of the run: emits the text that was held back. */
export function settle(state: TurnText): TurnTextStep {
  if (state.held.length === 0) return [{ ...state, holds: false }, []];
  const { held, shown: before } = state;
  let now: TurnText = { ...state, held: [], holds: false };
  const pieces: TextPiece[] = [];
  const known = { ...NOTHING };
  for (const voice of ['text', 'thought'] as const) {
    const whole = held.map((piece) => (piece.voice === voice ? piece.text : '')).join('');
    if (whole.startsWith(before[voice])) known[voice] = before[voice];
    // The new text differs from the text that was sent before, so that it begins a new block.
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
 * Handles the end of a run. Emits the rest of the summary: the turn may already have sent its
 * beginning, and a chat with text has sent all of it.
 */
export function conclude(state: TurnText, words: string): TurnTextStep {
  if (state.live && state.spoke) return [state, []];
  const rest = unsaid(state.shown.text, words);
  const repeats = rest !== words;
  if (rest === '') return [state, []];
  const [after, piece] = show(
    repeats ? { ...state, last: 'text' } : { ...state, last: null },
    'text',
    rest,
  );
  return [after, [piece]];
}

function show(state: TurnText, voice: Voice, text: string): [TurnText, TextPiece] {
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
