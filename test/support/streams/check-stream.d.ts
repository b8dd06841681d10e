/** Types of the contract's checker, which is plain JavaScript. */
declare module '*/check-stream.mjs' {
  /** @param text the body of a stream read from sequence 1 to its end */
  export function check(text: string): {
    problems: string[];
    events: import('./event-stream.js').CheckedEvent[];
  };
}
