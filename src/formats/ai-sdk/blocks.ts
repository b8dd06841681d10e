import { frame } from '../encoder.js';
import { andThen, type EncoderStep } from '../shared/encoder-step.js';
import type { TurnTextStep, Voice } from '../shared/turn-text.js';
import type { AiSdkState } from './state.js';

const nameOf = (voice: Voice): string => (voice === 'text' ? 'text' : 'reasoning');

/** Ends the open block. */
export function close(state: AiSdkState): EncoderStep<AiSdkState> {
  const { block } = state;
  if (!block) return [state, []];
  return [{ ...state, block: null }, [frame({ type: `${nameOf(block.voice)}-end`, id: block.id })]];
}

/** Begins a step at the start of a turn of the top-level agent. */
export function enter(state: AiSdkState, turn: number): EncoderStep<AiSdkState> {
  if (turn <= state.step) return [state, []];
  const begun = andThen(close(state), (now) => [{ ...now, step: turn }, []]);
  return andThen(begun, (now) => [
    now,
    [...(state.step > 0 ? [frame({ type: 'finish-step' })] : []), frame({ type: 'start-step' })],
  ]);
}

/** Sends the text of the top-level agent. */
export function utter(
  state: AiSdkState,
  [turnText, pieces]: TurnTextStep,
  sequence: number,
): EncoderStep<AiSdkState> {
  let made: EncoderStep<AiSdkState> = [{ ...state, text: turnText }, []];
  pieces.forEach(({ voice, text, fresh }, i) => {
    const type = nameOf(voice);
    if (fresh || made[0].block?.voice !== voice) {
      const id = `${type}-${sequence}${i === 0 ? '' : `.${i}`}`;
      made = andThen(andThen(made, close), (now) => [
        { ...now, block: { id, voice } },
        [frame({ type: `${type}-start`, id })],
      ]);
    }
    made = andThen(made, (now) => [
      now,
      [frame({ type: `${type}-delta`, id: now.block?.id, delta: text })],
    ]);
  });
  return made;
}
