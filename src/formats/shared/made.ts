import type { Frame } from '../encoder.js';

/** A new state and the frames that were made on the way to it. */
export type Made<State> = [State, Frame[]];

/** Applies the next step to the state and appends its frames. */
export const then = <State>(
  [state, frames]: Made<State>,
  next: (state: State) => Made<State>,
): Made<State> => {
  const [after, more] = next(state);
  return [after, [...frames, ...more]];
};
