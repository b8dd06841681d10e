import type { Frame } from '../encoder.js';

/** A state, and the frames that led to it. */
export type Made<State> = [State, Frame[]];

/** Goes on from a state; the frames follow those that are there. */
export const then = <State>(
  [state, frames]: Made<State>,
  next: (state: State) => Made<State>,
): Made<State> => {
  const [after, more] = next(state);
  return [after, [...frames, ...more]];
};
