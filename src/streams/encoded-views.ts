import { retry } from '../lib/async.js';
import { ConsiliumError } from '../domain/errors.js';
import type { Encoder } from '../formats/encoder.js';
import type { LogPage } from '../event-log/log-port.js';
import { EncodedView } from './encoded-view.js';
import { encodingSink } from './encoding-sink.js';
import type { Sink } from './follower.js';

const TRIES = 20;
const PAUSE_MS = 250;

interface SharedView {
  view: EncodedView;
  users: number;
}

/**
 * The views of all runs that clients of this process follow in another format than `executor`: one
 * per run and format.
 */
export class EncodedViews {
  private readonly shared = new Map<string, SharedView>();

  constructor(
    private readonly read: (runId: string, after: number, limit: number) => Promise<LogPage>,
  ) {}

  /**
   * Opens a sink for the log after an event. Retries for a while if Redis is unavailable.
   * @returns the sink and a function that releases it, or undefined if the log cannot be read
   */
  async open(
    runId: string,
    { name, encoder }: { name: string; encoder: Encoder<unknown> },
    after: number,
    sink: Sink,
  ): Promise<{ sink: Sink; release: () => void } | undefined> {
    const key = `${runId} ${name}`;
    const one = this.shared.get(key) ?? {
      view: new EncodedView(encoder, (from, limit) => this.read(runId, from, limit)),
      users: 0,
    };
    this.shared.set(key, one);
    one.users++;
    const release = () => {
      if (--one.users === 0) this.shared.delete(key);
    };
    let tries = 0;
    try {
      const state = await retry(() => one.view.stateAt(after), {
        firstMs: PAUSE_MS,
        longestMs: PAUSE_MS,
        isFinal: (error) => error instanceof ConsiliumError || ++tries >= TRIES,
      });
      return { sink: encodingSink(sink, one.view, state), release };
    } catch {
      release();
      return undefined;
    }
  }
}
