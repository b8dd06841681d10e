import type { DraftEvent } from '../../src/domain/events/event.js';
import { readyEvent } from '../../src/domain/events/frame.js';
import type { RunStatus } from '../../src/domain/run.js';
import type { Appended, Claim, Step } from '../../src/event-log/answers.js';

/** What stands where the timestamp will. Of the same length, so that bytes can be counted. */
export const SOME_TIME = '0000-00-00T00:00:00.000Z';

interface Writer {
  epoch: number;
  step: number;
  first: number;
  last: number;
  claims: number;
  done: boolean;
  checkpoint: string | null;
  messages: string[];
  /** Name of the last claim, and the step at which it came. */
  named: string;
}

export interface ModelLimits {
  logMaxEvents: number;
  logMaxBytes: number;
  eventMaxBytes: number;
}

/** One run's log as it should be: the rules of the scripts, without Redis. Timestamps are SOME_TIME, and every `ms` is 0. */
export class LogModel {
  status: RunStatus | undefined;
  readonly frames: string[] = [];
  readonly evidence = new Map<string, number>();
  readonly dispatches = new Map<string, number>();
  readonly reports = new Map<string, number>();
  input = 0;
  output = 0;
  cost: number | undefined;
  private readonly given = new Set<string>();
  private createdAt = 0;
  private readonly writers = new Map<string, Writer>();

  constructor(
    readonly runId: string,
    private readonly limits: ModelLimits,
  ) {}

  get sealed(): boolean {
    return this.status === 'completed' || this.status === 'failed' || this.status === 'cancelled';
  }

  get bytes(): number {
    return this.frames.reduce((sum, frame) => sum + Buffer.byteLength(frame), 0);
  }

  /** @param createdAt what Redis said, by its clock */
  create(events: DraftEvent[], createdAt: number): void {
    this.createdAt = createdAt;
    if (this.status) return;
    this.status = 'queued';
    this.record(this.made(events));
  }

  claim(name: string, suspectAt: number, counts: boolean, called: string): Claim {
    if (!this.status) return { kind: 'missing' };
    if (this.sealed) return { kind: 'sealed' };
    const fresh: Writer = {
      epoch: 0,
      step: 0,
      first: 0,
      last: 0,
      claims: 0,
      done: false,
      checkpoint: null,
      messages: [],
      named: '',
    };
    const writer = this.writers.get(name) ?? fresh;
    if (writer.done) return { kind: 'done' };
    const named = `${called}:${writer.step}`;
    if (called === '' || writer.named !== named) {
      if (suspectAt > 0 && writer.claims >= suspectAt)
        return { kind: 'suspect', claims: writer.claims };
      writer.epoch++;
      if (counts) writer.claims++;
      writer.named = named;
      this.writers.set(name, writer);
      this.status = 'running';
    }
    const { epoch, step, claims, checkpoint, messages } = writer;
    return {
      kind: 'claimed',
      epoch,
      step,
      claims,
      checkpoint,
      messages: [...messages],
      createdAt: this.createdAt,
      tokens: this.input + this.output,
    };
  }

  append({
    writer: name,
    epoch,
    step,
    events,
    checkpoint,
    messages = [],
    done = false,
    progress = true,
  }: Step): Appended {
    if (!this.status) return { kind: 'missing' };
    const writer = this.writers.get(name);
    if (!writer) return this.sealed ? { kind: 'sealed' } : { kind: 'gap', step: 0 };
    if (writer.epoch !== epoch) return { kind: 'fenced' };
    if (writer.step === step)
      return {
        kind: 'ok',
        first: writer.first,
        last: writer.last,
        ms: 0,
        tokens: this.input + this.output,
      };
    if (this.sealed) return { kind: 'sealed' };
    if (writer.done) return { kind: 'fenced' };
    if (step !== writer.step + 1) return { kind: 'gap', step: writer.step };
    const made = this.made(events);
    if (made.frames.length > 0 && !this.hasRoom(made)) return { kind: 'full' };
    const first = this.frames.length + 1;
    this.record(made);
    Object.assign(writer, { step, first, last: this.frames.length, done });
    if (progress) writer.claims = progress === 'going' ? 1 : 0;
    if (done) Object.assign(writer, { checkpoint: null, messages: [] });
    else {
      writer.messages.push(...messages);
      if (checkpoint) writer.checkpoint = checkpoint;
    }
    return { kind: 'ok', first, last: this.frames.length, ms: 0, tokens: this.input + this.output };
  }

  seal(event: DraftEvent): { status: RunStatus; sealed: boolean } | undefined {
    if (!this.status) return undefined;
    const sealed = !this.sealed;
    if (sealed) this.record(this.made([event]));
    return { status: this.status, sealed };
  }

  /** The frames are gone from Redis then; here they stay, to be compared. @returns false for a run that has not ended */
  trim(): boolean {
    if (!this.sealed) return false;
    for (const found of [this.writers, this.evidence, this.dispatches, this.reports]) found.clear();
    return true;
  }

  private hasRoom({ frames, marks }: ReturnType<LogModel['made']>): boolean {
    const { logMaxEvents, logMaxBytes, eventMaxBytes } = this.limits;
    const room = marks.some(({ kind }) => kind === 'seal') ? 0 : 1;
    const bytes = frames.reduce((sum, frame) => sum + Buffer.byteLength(frame), this.bytes);
    return (
      this.frames.length + frames.length <= logMaxEvents - room &&
      bytes <= logMaxBytes - room * eventMaxBytes
    );
  }

  private made(events: DraftEvent[]) {
    let [input, output] = [this.input, this.output];
    const marks: { kind: string; argument: string; sequence: number }[] = [];
    let { cost } = this;
    const given = new Set<string>();
    const frames = events.flatMap((event) => {
      const sequence = this.frames.length + marks.length + 1;
      const { name, kind, argument, tail } = readyEvent(event, this.limits.eventMaxBytes);
      if (kind === 'usage') {
        const [more, out, price] = argument.split(':');
        [input, output] = [input + Number(more), output + Number(out)];
        if (price) cost = (cost ?? 0) + Number(price);
      }
      const used = input + output;
      const [once = '', from = '', budget = ''] = argument.split(':');
      // One that is for before the budget is used up.
      const isLate = budget !== '' && Number(from) < Number(budget) && used >= Number(budget);
      if (kind === 'once') {
        if (this.given.has(once) || given.has(once) || used < Number(from) || isLate) return [];
        given.add(once);
      }
      marks.push({ kind, argument, sequence });
      const spent = cost === undefined ? {} : { cost: cost / 1e8 };
      const usage = JSON.stringify({
        input_tokens: input,
        output_tokens: output,
        total_tokens: used,
        ...spent,
      });
      const filled =
        kind === 'once'
          ? tail
              .replaceAll('\0', String(used))
              .replaceAll('\x01', used.toLocaleString('en-US'))
              .replaceAll('\x02', String(Math.floor((used * 100) / Number(budget || '1'))))
          : tail.replace('\0', () => (kind === 'usage' ? String(used) : usage));
      return `event: ${name}\nid: ${sequence}\ndata: {"run_id":"${this.runId}","timestamp":"${SOME_TIME}","sequence":${sequence}${filled}\n\n`;
    });
    return { frames, marks, input, output, cost, given };
  }

  private record({
    frames,
    marks,
    input,
    output,
    cost,
    given,
  }: ReturnType<LogModel['made']>): void {
    this.frames.push(...frames);
    [this.input, this.output, this.cost] = [input, output, cost];
    for (const once of given) this.given.add(once);
    for (const { kind, argument, sequence } of marks) {
      if (kind === 'result') this.evidence.set(argument, sequence);
      if (kind === 'dispatch') this.dispatches.set(argument, sequence);
      if (kind === 'report') this.reports.set(argument, sequence);
      if (kind === 'seal') this.status = argument as RunStatus;
    }
  }
}
