import { now } from './clock.mjs';

/** Marks the time in an event's text; occurs nowhere else. */
export const MARK = '@'.charCodeAt(0);
/** Digits of the time: µs on the machine's monotonic clock. */
export const DIGITS = 13;

/** The text of an event with the time at which it was created, padded to a length. */
export function payload(bytes) {
  const stamp = `@${String(Math.round(now() * 1_000)).padStart(DIGITS, '0')}`;
  return stamp.padEnd(bytes, '.');
}

/** A frame like the product's, for servers that have no log. */
export function frame(sequence, bytes) {
  const head =
    `event: llm.stream\nid: ${sequence}\ndata: {"run_id":"00000000-0000-7000-8000-000000000000","sequence":${sequence},` +
    `"event":{"category":"llm","action":"stream"},"data":{"content":"`;
  const tail = '"}}\n\n';
  return head + payload(bytes - head.length - tail.length) + tail;
}
