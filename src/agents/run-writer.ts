import { setTimeout as sleep } from 'node:timers/promises';
import type { DraftEvent, EventData, Source, Turn } from '../domain/event.js';
import type { Appended, EventLog, Step } from '../event-log/event-log.js';

/** Deltas of one agent are joined to at most one event in this many ms. */
const JOIN_MS = 40;

/** The agent may not go on: its run has ended, or another process has taken its place. */
export class LostError extends Error {
  override readonly name = 'LostError';
  constructor(readonly why: 'sealed' | 'fenced' | 'missing') {
    super(why === 'sealed' ? 'the run has ended' : why === 'fenced' ? 'another process works on this dispatch now' : 'the run is gone');
  }
}

type Delta = { name: 'llm.stream' | 'llm.reasoning'; text: string; turn: Turn };
type StepOptions = Pick<Step, 'checkpoint' | 'messages' | 'done' | 'progress'>;

/**
 * Writes to the log in the name of one agent: numbers its steps, repeats one whose outcome is not known (the log answers a
 * repeated step with what it recorded), and tells through `lost` when it may write no more.
 */
export class RunWriter {
  private deltas: Delta[] = [];
  private timer: NodeJS.Timeout | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly log: EventLog,
    readonly runId: string,
    readonly writer: string,
    readonly epoch: number,
    private step: number,
    readonly source: Source,
    /** Aborted with a LostError when a step was refused; when it is aborted by others, waiting ends too. */
    private readonly lost: AbortController,
  ) {}

  /** A piece of text as it comes from the model. */
  delta(name: Delta['name'], text: string, turn: Turn): void {
    if (text === '') return;
    const open = this.deltas.at(-1);
    if (open?.name === name) open.text += text;
    else this.deltas.push({ name, text, turn });
    this.timer ??= setTimeout(() => {
      this.append([], { progress: false }).catch(() => undefined);
    }, JOIN_MS);
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

  /** Says that the process gives this up of its own accord, so that it is not taken for a crash. */
  async release(): Promise<void> {
    this.close();
    await this.last;
    await this.log.append(this.runId, { writer: this.writer, epoch: this.epoch, step: this.step + 1, events: [] });
  }

  /** Forgets text that has not been written, when the agent is lost. */
  close(): void {
    clearTimeout(this.timer);
    this.deltas = [];
  }

  private async write(events: DraftEvent[], options: StepOptions): Promise<number> {
    this.lost.signal.throwIfAborted();
    clearTimeout(this.timer);
    this.timer = undefined;
    const text = this.deltas.map(({ name, text, turn }): DraftEvent => {
      const data = name === 'llm.stream' ? { content: text, ...turn } : { thought: text, ...turn };
      return { name, source: this.source, data: data as EventData['llm.stream'] & EventData['llm.reasoning'] };
    });
    this.deltas = [];
    if (text.length + events.length === 0 && options.checkpoint === undefined && !options.messages?.length) return 0;
    const step = { ...options, writer: this.writer, epoch: this.epoch, step: this.step + 1, events: [...text, ...events] };
    const appended = await this.persist(step);
    if (appended.kind === 'ok') {
      this.step++;
      return appended.first + text.length;
    }
    if (appended.kind === 'gap') throw new Error(`step ${step.step} of ${this.writer} is not the next one: the log is at ${appended.step}`);
    const error = new LostError(appended.kind);
    this.lost.abort(error);
    throw error;
  }

  private async persist(step: Step): Promise<Appended> {
    for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
      try {
        return await this.log.append(this.runId, step);
      } catch (error) {
        if (error instanceof TypeError) throw error;
        // Redis is away, full, or its reply was lost: the same step again, until it is known.
        await sleep(pause, undefined, { signal: this.lost.signal });
      }
    }
  }
}
