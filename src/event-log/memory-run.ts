import type { DraftEvent, Usage } from '../domain/events/event.js';
import { readyEvent, type ReadyEvent } from '../domain/events/frame.js';
import { withoutTopology, type RunSpec } from '../domain/run.js';
import { isTerminalStatus, type RunStatus } from '../domain/run-status.js';
import { addUsage, fillSlots, usageOf, type Totals } from './memory-totals.js';
import type { AppendResult, Claim, ClaimOptions, NoteResult, Step } from './log-port.js';
import { roomIn, type LogBounds } from './log-room.js';

interface Writer {
  epoch: number;
  step: number;
  /** Sequences of the last step. */
  first: number;
  last: number;
  claims: number;
  done: boolean;
  checkpoint: string | null;
  messages: string[];
  /** Name of the last claim, and the step at which it was made. */
  named: string;
}

const newWriter = (): Writer => ({
  epoch: 0,
  step: 0,
  first: 0,
  last: 0,
  claims: 0,
  done: false,
  checkpoint: null,
  messages: [],
  named: '',
});

/** Frames that are built but not recorded yet. */
interface BuiltFrames {
  frames: Buffer[];
  marks: { kind: ReadyEvent['kind']; argument: string; sequence: number }[];
  totals: Totals;
  /** Sequences of events that are given once, by name. */
  once: Map<string, number>;
  bytes: number;
  /** The final status that the terminal event sets. */
  status: RunStatus | undefined;
}

/** One run of a `MemoryLog`: the rules of the Lua scripts in TypeScript. */
export class MemoryRun {
  status: RunStatus = 'queued';
  frames: Buffer[] = [];
  lastSequence = 0;
  bytes = 0;
  totals: Totals = { input: 0, output: 0, cost: undefined };
  startedAt: number | null = null;
  endedAt: number | null = null;
  updatedAt: number;
  terminal: Buffer | undefined;
  trimmed = false;
  lostUpTo = 0;
  starts = { count: 0, sequence: 0, at: 0 };
  readonly createdAt: number;
  readonly evidence = new Map<string, number>();
  readonly dispatches = new Map<string, number>();
  readonly reports = new Map<string, number>();
  readonly writers = new Map<string, Writer>();
  /** Writer → tokens of the run's budget. */
  readonly accounts = new Map<string, { reserved: number; used: number }>();
  /** Sequences of events that were given once, by name. */
  readonly given = new Map<string, number>();

  constructor(
    readonly runId: string,
    public spec: RunSpec,
    events: DraftEvent[],
    private readonly bounds: LogBounds,
    private readonly now: () => number,
  ) {
    this.createdAt = now();
    this.updatedAt = this.createdAt;
    this.record(this.made(events, this.createdAt), this.createdAt);
  }

  get sealed(): boolean {
    return isTerminalStatus(this.status);
  }

  get tokens(): number {
    return this.totals.input + this.totals.output;
  }

  get usage(): Usage {
    return usageOf(this.totals);
  }

  claim(id: string, { suspectAt = 0, counts = true, name = '' }: ClaimOptions): Claim {
    if (this.sealed) return { kind: 'sealed' };
    const writer = this.writers.get(id) ?? newWriter();
    if (writer.done) return { kind: 'done' };
    const named = `${name}:${writer.step}`;
    if (name === '' || writer.named !== named) {
      if (suspectAt > 0 && writer.claims >= suspectAt)
        return { kind: 'suspect', claims: writer.claims };
      writer.epoch++;
      if (counts) writer.claims++;
      writer.named = named;
      this.writers.set(id, writer);
      const account = this.accounts.get(id);
      if (account) account.reserved = 0;
      if (this.status === 'queued') {
        this.status = 'running';
        this.startedAt = this.updatedAt = this.clock();
      }
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
      now: this.clock(),
      tokens: this.tokens,
    };
  }

  append(wanted: Step): AppendResult {
    const {
      writer: id,
      epoch,
      step,
      events,
      messages = [],
      done = false,
      progress = true,
    } = wanted;
    const writer = this.writers.get(id);
    if (!writer) return this.sealed ? { kind: 'sealed' } : this.gap(0, wanted);
    if (writer.epoch !== epoch) {
      if (writer.epoch < epoch) this.markLost(wanted.seen ?? 0);
      return { kind: 'fenced' };
    }
    if (writer.step === step) return this.appended(writer);
    if (this.sealed) return { kind: 'sealed' };
    if (writer.done) return { kind: 'fenced' };
    if (step !== writer.step + 1) return this.gap(writer.step, wanted);
    const ms = this.clock();
    const buildFrames = this.made(events, ms);
    if (buildFrames.frames.length > 0 && !this.hasRoom(buildFrames)) return { kind: 'full' };
    const first = this.lastSequence + 1;
    const used = buildFrames.totals.input + buildFrames.totals.output - this.tokens;
    this.record(buildFrames, ms);
    Object.assign(writer, { step, first, last: this.lastSequence, done });
    if (progress) writer.claims = progress === 'going' ? 1 : 0;
    if (done) {
      Object.assign(writer, { checkpoint: null, messages: [] });
      this.accounts.delete(id);
    } else {
      writer.messages.push(...messages);
      if (wanted.checkpoint) writer.checkpoint = wanted.checkpoint;
      if (buildFrames.marks.some(({ kind }) => kind === 'usage'))
        this.accounts.set(id, { reserved: 0, used: (this.accounts.get(id)?.used ?? 0) + used });
    }
    return this.appended(writer);
  }

  note(events: DraftEvent[]): NoteResult {
    if (this.sealed) return 'sealed';
    const ms = this.clock();
    const made = this.made(events, ms);
    if (made.frames.length > 0 && !this.hasRoom(made)) return 'full';
    this.record(made, ms);
    return 'ok';
  }

  /** @returns ms at which the run was sealed */
  seal(event: DraftEvent): number {
    const ms = this.clock();
    this.record(this.made([event], ms), ms);
    return ms;
  }

  markLost(seen: number): void {
    this.lostUpTo = Math.max(this.lostUpTo, seen);
  }

  /** Counts starts within a second of each other once. */
  countStart(): number {
    if (this.sealed) return 0;
    const known = this.starts.sequence === this.lastSequence;
    const before = known ? this.starts : { count: 0, at: 0 };
    const at = this.now();
    if (at - before.at < 1_000) return before.count;
    this.starts = { count: before.count + 1, sequence: this.lastSequence, at };
    return this.starts.count;
  }

  dropTopology(): void {
    if (this.sealed) this.spec = withoutTopology(this.spec);
  }

  trim(): void {
    this.terminal = this.frames.at(-1) ?? this.terminal;
    this.frames = [];
    this.trimmed = true;
    for (const kept of [this.evidence, this.dispatches, this.reports, this.writers, this.accounts])
      kept.clear();
  }

  private gap(step: number, { seen = 0 }: Step): AppendResult {
    this.markLost(seen);
    return { kind: 'gap', step };
  }

  private appended({ first, last }: Writer): AppendResult {
    const room = roomIn(this.bounds, { events: this.lastSequence, bytes: this.bytes });
    return { kind: 'ok', first, last, ms: this.updatedAt, tokens: this.tokens, room };
  }

  /** ms. Never goes back behind the last time of the run. */
  private clock(): number {
    return Math.max(this.now(), this.updatedAt);
  }

  private hasRoom({ frames, bytes, status }: BuiltFrames): boolean {
    const { logMaxEvents, logMaxBytes, eventMaxBytes } = this.bounds;
    // Reserved for the terminal event of a full log.
    const room = status ? 0 : 1;
    return (
      this.lastSequence + frames.length <= logMaxEvents - room &&
      this.bytes + bytes <= logMaxBytes - room * eventMaxBytes
    );
  }

  private made(events: DraftEvent[], ms: number): BuiltFrames {
    const made: BuiltFrames = {
      frames: [],
      marks: [],
      totals: { ...this.totals },
      once: new Map(),
      bytes: 0,
      status: undefined,
    };
    for (const event of events) {
      if (made.status) throw new Error('INVALID an event after the terminal one');
      const { name, kind, argument, tail } = readyEvent(event, this.bounds.eventMaxBytes);
      const { totals } = made;
      if (kind === 'usage') addUsage(totals, argument);
      if (kind === 'seal') made.status = argument as RunStatus;
      const sequence = this.lastSequence + made.frames.length + 1;
      if (kind === 'once' && !this.isDue(argument, made, sequence)) continue;
      made.marks.push({ kind, argument, sequence });
      const head = `event: ${name}\nid: ${sequence}\ndata: {"run_id":"${this.runId}","timestamp":"${new Date(ms).toISOString()}","sequence":${sequence}`;
      const frame = Buffer.from(`${head}${fillSlots(kind, argument, tail, totals)}\n\n`);
      made.frames.push(frame);
      made.bytes += frame.length;
    }
    return made;
  }

  /**
   * Whether a warning that a run gives at most once is due. Its condition: `name`, or
   * `name:from:budget` in tokens.
   */
  private isDue(argument: string, { once, totals }: BuiltFrames, sequence: number): boolean {
    const [name = '', from = '', budget = ''] = argument.split(':');
    const used = totals.input + totals.output;
    const isLate = budget !== '' && Number(from) < Number(budget) && used >= Number(budget);
    if (this.given.has(name) || once.has(name) || used < Number(from) || isLate) return false;
    once.set(name, sequence);
    return true;
  }

  private record({ frames, marks, totals, once, bytes, status }: BuiltFrames, ms: number): void {
    this.frames.push(...frames);
    this.lastSequence += frames.length;
    this.bytes += bytes;
    this.totals = totals;
    this.updatedAt = ms;
    for (const [name, sequence] of once) this.given.set(name, sequence);
    for (const { kind, argument, sequence } of marks) {
      if (kind === 'result') this.evidence.set(argument, sequence);
      if (kind === 'dispatch') this.dispatches.set(argument, sequence);
      if (kind === 'report') this.reports.set(argument, sequence);
    }
    if (!status) return;
    this.status = status;
    this.endedAt = ms;
  }
}
