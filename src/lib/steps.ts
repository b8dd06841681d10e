/**
 * Work that yields after each small step, so that a caller may do something else in between.
 * Returns the result of the work.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all the work now. */
export function allAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
