import { isEventName, type NamedEvent } from '../domain/events/event.js';

/**
 * A frame without its id: the name of the SSE event, if the format uses names, and the text of its
 * `data` line.
 */
export interface Frame {
  event?: string;
  data: string;
}

/**
 * Encodes a log in another format, event by event. `State` holds all that an encoder remembers. It
 * is immutable, so that encoding can resume from a stored state. The same events and the same state
 * always give the same frames.
 */
export interface Encoder<State> {
  start: State;
  /** @param json the text of the event in the log */
  next(state: State, event: NamedEvent, json: string): [State, Frame[]];
}

/** Creates a frame whose `data` is JSON. */
export const frame = (data: object, event?: string): Frame => ({
  data: JSON.stringify(data),
  ...(event === undefined ? {} : { event }),
});

/** The encoded frames of one event and the state after it. */
export interface EncodedEvent<State> {
  state: State;
  text: string;
  sequence: number;
  name: string;
}

/**
 * Encodes one frame of the log.
 * @param logged the whole frame, `event: …` to the empty line
 */
export function encodeFrame<State>(
  encoder: Encoder<State>,
  state: State,
  logged: string,
): EncodedEvent<State> {
  const name = logged.slice(7, logged.indexOf('\n'));
  const json = logged.slice(logged.indexOf('\ndata: ') + 7, -2);
  const event = { ...(JSON.parse(json) as object), name } as NamedEvent;
  const [next, frames]: [State, Frame[]] = isEventName(name)
    ? encoder.next(state, event, json)
    : [state, []];
  const { sequence } = event;
  const text = frames.map(({ event: kind, data }, i) => {
    const id = i === frames.length - 1 ? `${sequence}` : `${sequence}.${i + 1}`;
    return `${kind === undefined ? '' : `event: ${kind}\n`}id: ${id}\ndata: ${data}\n\n`;
  });
  return { state: next, text: text.join(''), sequence, name };
}
