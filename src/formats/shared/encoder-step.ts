import type { Frame } from '../encoder.js';

/** A new state and the frames that were made on the way to it. */
export type EncoderStep<State> = [State, Frame[]];

/** Applies the next step to the state and appends its frames. */
export const andThen = <State>(
  [state, frames]: EncoderStep<State>,
  next: (state: State) => EncoderStep<State>,
): EncoderStep<State> => {
  const [after, more] = next(state);
  return [after, [...frames, ...more]];
};
