import { Logger } from '@nestjs/common';
import { retry } from '../../lib/async.js';
import type { DraftEvent, Source, Turn } from '../../domain/events/event.js';
import type { Message } from '../../domain/message.js';
import { mapTexts } from '../../lib/redact-secrets.js';
import type { Redact } from '../../lib/redact-secrets.js';
import type { TokenShares } from '../../domain/limits/token-shares.js';
import type { AppendResult, LogPort, ReserveResult, Step } from '../../event-log/log-port.js';
import { isReserveLeft } from '../../event-log/log-room.js';
import { reportDenied } from '../../redis/store-failure.js';
import { StreamedText, type StreamedName } from './streamed-text.js';

/** Deltas of one agent are joined to at most one event in this many ms. */
const JOIN_MS = 40;
/** Held events are appended with the agent's next step, if that follows within this time; ms. */
const HOLD_MS = 20;
/** Redis's response to a step that is invalid: repeating it would not help. */
const REFUSED = /^(INVALID|WRONGTYPE)\b|user_script/;

/** The agent may not continue: its run has ended, or another process has taken over. */
export class LostError extends Error {
  override readonly name = 'LostError';
  constructor(readonly why: keyof typeof LOST) {
    super(LOST[why]);
  }
}

const LOST = {
  sealed: 'the run has ended',
  fenced: 'another process works on this dispatch now',
  expired: 'the lock of the job was lost',
  behind: 'the log has lost recorded steps: it was restored to an earlier state',
  full: 'the log of the run is full',
  missing: 'the run is gone',
};

/** The input of a writer: its claim, and the agent that it writes for. */
export interface WriterClaim {
  runId: string;
  writer: string;
  epoch: number;
  /** Number of the last step. */
  step: number;
  /** The blackboard in the log; the agent in memory may be ahead of it. */
  checkpoint: string | null;
  /** Tokens of the run so far. */
  tokens: number;
  source: Source;
  /** Takes secrets out of every event. */
  redact: Redact;
  /** Aborted with a LostError when a step was refused; if others abort it, waiting ends too. */
  lost: AbortController;
}

const logger = new Logger('RunWriter');

/** What is appended with the events of a step. */
export interface StepOptions extends Pick<Step, 'done' | 'progress'> {
  /** Makes the checkpoint, unless the step is the last one, after which the log keeps none. */
  checkpoint?: () => string;
  /** Appended to the conversation, as JSON, like the events. */
  messages?: readonly Message[];
}

interface PendingStep {
  events: DraftEvent[];
  options: StepOptions;
}

/** Two steps as one. A step that only has text does not count as progress. */
const joinSteps = (
  first: StepOptions,
  { progress = true, ...second }: StepOptions,
): StepOptions => ({
  ...first,
  ...second,
  messages: [...(first.messages ?? []), ...(second.messages ?? [])],
  ...(progress !== false && { progress }),
});

/**
 * Writes to the log on behalf of one agent: numbers its steps, repeats one whose outcome is unknown
 * (the log returns the recorded outcome for a repeated step), and aborts `lost` when it may not
 * write any more.
 */
export class RunWriter {
  private readonly text = new StreamedText();
  private held: PendingStep | undefined;
  private timer: NodeJS.Timeout | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private resting = false;
  /** The last sequence that an append returned. */
  private seen = 0;
  /** Tokens of the run so far, as far as this writer knows. */
  tokens: number;
  /** Whether agents have to end their work, since the rest of the log is reserved. */
  isLogNearlyFull = false;
  readonly runId: string;
  readonly writer: string;
  readonly epoch: number;
  private step: number;
  private checkpoint: string | null;
  private readonly source: Source;
  private readonly redact: Redact;
  private readonly lost: AbortController;

  constructor(
    private readonly log: LogPort,
    claim: WriterClaim,
  ) {
    this.runId = claim.runId;
    this.writer = claim.writer;
    this.epoch = claim.epoch;
    this.step = claim.step;
    this.checkpoint = claim.checkpoint;
    this.tokens = claim.tokens;
    this.source = claim.source;
    this.redact = claim.redact;
    this.lost = claim.lost;
  }

  /** A piece of text from the model. */
  delta(name: StreamedName, text: string, turn: Turn): void {
    if (text === '') return;
    this.text.add(name, text, turn);
    this.timer ??= this.flushIn(JOIN_MS);
  }

  /**
   * Appends a step together with the next one, which is about to follow; alone if it does not. For
   * work that would only be repeated if the process died in between: nothing else may depend on it
   * yet.
   */
  hold(events: DraftEvent[], options: StepOptions): void {
    const before = this.held;
    this.held = {
      events: [...(before?.events ?? []), ...this.text.take(this.source), ...events],
      options: before ? joinSteps(before.options, options) : options,
    };
    if (before) return;
    clearTimeout(this.timer);
    this.timer = this.flushIn(HOLD_MS);
  }

  /** Appends the held step now, because something depends on it. */
  async flush(): Promise<void> {
    if (this.held) await this.append([], { progress: false });
  }

  /**
   * Appends the text that has come in and these events, as one step, after all steps before it.
   * @returns sequence of the first of `events`
   * @throws LostError when the run has ended or another process has taken over
   */
  append(events: DraftEvent[], options: StepOptions = {}): Promise<number> {
    const result = this.last.then(() => this.write(events, options));
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Whether the last step recorded that the session may end there. */
  get isResting(): boolean {
    return this.resting && this.held === undefined;
  }

  /**
   * Reserves tokens of the run's budget for a model call; the step that has its usage settles it.
   * @param want 0: gives back what is reserved
   * @throws LostError as `append` does
   */
  async reserve(
    want: number,
    shares: TokenShares,
  ): Promise<Extract<ReserveResult, { used: number }>> {
    const reserved = await this.insist(() => this.log.reserve(this.runId, this, want, shares));
    if (!('used' in reserved)) throw this.lose(reserved.kind);
    this.tokens = Math.max(this.tokens, reserved.used);
    return reserved;
  }

  /**
   * Gives the dispatch up voluntarily, so that the end of this process does not count as a crash.
   * Tried once: if it fails, it counts as one.
   * @param events the last ones of this process
   * @param revise makes the checkpoint to leave from the one in the log
   */
  async release(
    events: DraftEvent[],
    revise: (checkpoint: string | null) => string,
  ): Promise<void> {
    this.close();
    await this.last;
    // If the outcome of the last step is unknown, this step has its number, and is ignored if that
    // one was recorded.
    const step = {
      writer: this.writer,
      epoch: this.epoch,
      step: this.step + 1,
      events,
      checkpoint: revise(this.checkpoint),
    };
    await this.log.append(this.runId, step);
  }

  /** Discards text that has not been written, when the agent is lost. */
  close(): void {
    clearTimeout(this.timer);
    this.text.take(this.source);
    this.held = undefined;
  }

  private flushIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.append([], { progress: false }).catch(() => undefined);
    }, ms);
  }

  private async write(events: DraftEvent[], own: StepOptions): Promise<number> {
    this.lost.signal.throwIfAborted();
    clearTimeout(this.timer);
    this.timer = undefined;
    const { held } = this;
    this.held = undefined;
    const before = [...(held?.events ?? []), ...this.text.take(this.source)];
    const { checkpoint, messages, done, progress } = held ? joinSteps(held.options, own) : own;
    if (before.length + events.length === 0 && checkpoint === undefined && !messages?.length)
      return 0;
    const kept: Pick<Step, 'checkpoint' | 'messages' | 'done'> = done
      ? { done }
      : {
          ...(checkpoint && { checkpoint: checkpoint() }),
          ...(messages && { messages: messages.map((message) => JSON.stringify(message)) }),
        };
    const step = {
      ...kept,
      ...(progress !== undefined && { progress }),
      writer: this.writer,
      epoch: this.epoch,
      step: this.step + 1,
      events: [...before, ...events].map((event) => ({
        ...event,
        data: mapTexts(event.data, this.redact),
      })) as DraftEvent[],
      seen: this.seen,
    };
    const appended = await this.insist(() => this.log.append(this.runId, step));
    if (appended.kind === 'ok') {
      this.step++;
      this.seen = Math.max(this.seen, appended.last);
      this.tokens = Math.max(this.tokens, appended.tokens);
      this.isLogNearlyFull = isReserveLeft(appended.room, appended.last);
      this.checkpoint = kept.checkpoint ?? this.checkpoint;
      this.resting = progress === undefined || progress === true;
      return appended.first + before.length;
    }
    throw this.lose(appended.kind === 'gap' ? 'behind' : appended.kind);
  }

  private lose(why: LostError['why']): LostError {
    const error = new LostError(why);
    this.lost.abort(error);
    return error;
  }

  /** Repeats a call while Redis is unavailable or full, or its reply was lost. */
  private insist<Answer extends AppendResult | ReserveResult>(
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    return retry(ask, {
      firstMs: 50,
      longestMs: 1_000,
      isFinal: (error) => {
        reportDenied(error, logger);
        return (
          error instanceof TypeError || (error instanceof Error && REFUSED.test(error.message))
        );
      },
      signal: this.lost.signal,
    });
  }
}
