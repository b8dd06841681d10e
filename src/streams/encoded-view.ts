import { ConsiliumError } from '../domain/errors.js';
import { encodeFrame, type Encoder } from '../formats/encoder.js';
import type { LogPage } from '../event-log/log-port.js';

/** Number of cached encoder states. */
const KEPT = 256;
/** Events per read if only the final state is needed. */
const FOLD = 500;

/** Consecutive frames in another format, and the encoder's state after them. */
export interface EncodedFrames {
  bytes: Buffer;
  state: unknown;
}

/**
 * A run's log in another format, shared by all followers of the run and format in this process.
 * Encoders pass their state as a value, so each follower holds the state at its own position.
 * Followers at the same position receive the same Buffer, which is encoded once.
 */
export class EncodedView {
  private readonly made = new WeakMap<Buffer, EncodedFrames>();
  private readonly states = new Map<number, unknown>();

  constructor(
    private readonly encoder: Encoder<unknown>,
    private readonly read: (after: number, limit: number) => Promise<LogPage>,
  ) {}

  /** Encodes whole frames of the log. @param state after the frame before them */
  encode(frames: Buffer, state: unknown): EncodedFrames {
    const known = this.made.get(frames);
    if (known) return known;
    const range = this.encodeAll(frames.toString().split(/(?<=\n\n)/), state);
    this.made.set(frames, range);
    return range;
  }

  /**
   * Computes the state after an event, from the last cached state before it.
   * @throws ConsiliumError RUN_NOT_FOUND, RUN_EXPIRED
   */
  async stateAt(sequence: number): Promise<unknown> {
    let at = Math.max(0, ...[...this.states.keys()].filter((known) => known <= sequence));
    let state = this.states.get(at) ?? this.encoder.start;
    while (at < sequence) {
      const { frames } = await this.read(at, Math.min(FOLD, sequence - at));
      if (frames.length === 0)
        throw new ConsiliumError('RUN_EXPIRED', 'This log has lost its last events');
      ({ state } = this.encodeAll(frames.map(String), state));
      at += frames.length;
    }
    return state;
  }

  private encodeAll(frames: readonly string[], before: unknown): EncodedFrames {
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
