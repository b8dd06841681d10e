import { ConsiliumError } from '../domain/errors.js';
import { encodeFrame, type Encoder } from '../formats/encoder.js';
import type { Page } from '../event-log/log-port.js';

/** States that are kept to go on from. */
const KEPT = 256;
/** Events of one read when only the state after them is wanted. */
const FOLD = 500;

/** A stretch of a log in another format, and what its encoder remembers after it. */
export interface EncodedStretch {
  bytes: Buffer;
  state: unknown;
}

/**
 * A run's log in another format, for all who follow it so on this node. What an event becomes follows from all before it:
 * encoders carry that as a value, so each follower holds the state at its place. Followers are given the same Buffer at the
 * same place, and so each is encoded once.
 */
export class EncodedView {
  private readonly made = new WeakMap<Buffer, EncodedStretch>();
  private readonly states = new Map<number, unknown>();

  constructor(
    private readonly encoder: Encoder<unknown>,
    private readonly read: (after: number, limit: number) => Promise<Page>,
  ) {}

  /** Encodes whole frames of the log. @param state after the frame before them */
  encode(frames: Buffer, state: unknown): EncodedStretch {
    const known = this.made.get(frames);
    if (known) return known;
    const stretch = this.encodeAll(frames.toString().split(/(?<=\n\n)/), state);
    this.made.set(frames, stretch);
    return stretch;
  }

  /** The state after an event: a fold of the log from the last known one before it. @throws ConsiliumError RUN_NOT_FOUND, RUN_EXPIRED */
  async stateAt(sequence: number): Promise<unknown> {
    let at = Math.max(0, ...[...this.states.keys()].filter((known) => known <= sequence));
    let state = this.states.get(at) ?? this.encoder.start;
    while (at < sequence) {
      const { frames } = await this.read(at, Math.min(FOLD, sequence - at));
      if (frames.length === 0) throw new ConsiliumError('RUN_EXPIRED', 'This log has lost its end');
      ({ state } = this.encodeAll(frames.map(String), state));
      at += frames.length;
    }
    return state;
  }

  private encodeAll(frames: readonly string[], before: unknown): EncodedStretch {
    let state = before;
    let last = 0;
    let text = '';
    for (const logged of frames) {
      const encoded = encodeFrame(this.encoder, state, logged);
      ({ state, sequence: last } = encoded);
      text += encoded.text;
    }
    this.states.delete(last);
    this.states.set(last, state);
    if (this.states.size > KEPT) this.states.delete(this.states.keys().next().value as number);
    return { bytes: Buffer.from(text), state };
  }
}
