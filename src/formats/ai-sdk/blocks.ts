import { frame } from '../encoder.js';
import { then, type Made } from '../shared/made.js';
import type { TurnTextStep, Voice } from '../shared/turn-text.js';
import type { AiSdkState } from './state.js';

const nameOf = (voice: Voice): string => (voice === 'text' ? 'text' : 'reasoning');

/** Ends the open block. */
export function close(state: AiSdkState): Made<AiSdkState> {
  const { block } = state;
  if (!block) return [state, []];
  return [{ ...state, block: null }, [frame({ type: `${nameOf(block.voice)}-end`, id: block.id })]];
}

/** Begins a step at the start of a turn of the top-level agent. */
export function enter(state: AiSdkState, turn: number): Made<AiSdkState> {
  if (turn <= state.step) return [state, []];
  const begun = then(close(state), (now) => [{ ...now, step: turn }, []]);
  return then(begun, (now) => [
    now,
    [...(state.step > 0 ? [frame({ type: 'finish-step' })] : []), frame({ type: 'start-step' })],
  ]);
}

/** Sends the text of the top-level agent. */
export function utter(
  state: AiSdkState,
  [turnText, pieces]: TurnTextStep,
  sequence: number,
): Made<AiSdkState> {
  let made: Made<AiSdkState> = [{ ...state, text: turnText }, []];
  pieces.forEach(({ voice, text, fresh }, i) => {
    const type = nameOf(voice);
    if (fresh || made[0].block?.voice !== voice) {
      const id = `${type}-${sequence}${i === 0 ? '' : `.${i}`}`;
      made = then(then(made, close), (now) => [
        { ...now, block: { id, voice } },
        [frame({ type: `${type}-start`, id })],
      ]);
    }
    made = then(made, (now) => [
      now,
      [frame({ type: `${type}-delta`, id: now.block?.id, delta: text })],
    ]);
  });
  return made;
}
