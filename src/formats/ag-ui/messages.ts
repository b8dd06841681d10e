import { frame } from '../encoder.js';
import { andThen, type EncoderStep } from '../shared/encoder-step.js';
import type { TurnTextStep, TextPiece } from '../shared/turn-text.js';
import { named, tag, type AgUiState } from './state.js';

/** Ends the open message of an agent. */
export function close(state: AgUiState, key: string): EncoderStep<AgUiState> {
  const { [key]: message, ...open } = state.open;
  if (!message) return [state, []];
  const who = { messageId: message.id, ...tag(state, key) };
  const ends =
    message.voice === 'text' ? ['TEXT_MESSAGE_END'] : ['REASONING_MESSAGE_END', 'REASONING_END'];
  return [{ ...state, open }, ends.map((type) => frame({ type, ...who }))];
}

/**
 * Appends to the open message of an agent, or begins one.
 * @param at the event and the index of this piece in it
 */
export function utter(
  state: AgUiState,
  key: string,
  { voice, text: delta, fresh }: TextPiece,
  at: { sequence: number; nth: number },
): EncoderStep<AgUiState> {
  const message = state.open[key];
  if (message?.voice === voice && !fresh) {
    const type = voice === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
    return [state, [frame({ type, messageId: message.id, delta, ...tag(state, key) })]];
  }
  const [closed, ends] = close(state, key);
  const id = named(state, `m${at.sequence}${at.nth === 0 ? '' : `.${at.nth}`}`);
  const who = { messageId: id, ...tag(state, key) };
  const starts =
    voice === 'text'
      ? [
          frame({ type: 'TEXT_MESSAGE_START', role: 'assistant', ...who }),
          frame({ type: 'TEXT_MESSAGE_CONTENT', delta, ...who }),
        ]
      : [
          frame({ type: 'REASONING_START', ...who }),
          frame({ type: 'REASONING_MESSAGE_START', role: 'reasoning', ...who }),
          frame({ type: 'REASONING_MESSAGE_CONTENT', delta, ...who }),
        ];
  return [{ ...closed, open: { ...closed.open, [key]: { id, voice } } }, [...ends, ...starts]];
}

/** Sends the text of the top-level agent. */
export function atTop(
  state: AgUiState,
  [turnText, pieces]: TurnTextStep,
  sequence: number,
): EncoderStep<AgUiState> {
  let made: EncoderStep<AgUiState> = [{ ...state, text: turnText }, []];
  pieces.forEach((piece, nth) => {
    made = andThen(made, (now) => utter(now, '', piece, { sequence, nth }));
  });
  return made;
}
