import { ConsiliumError } from '../domain/errors.js';
import type { DraftEvent, RunEvent } from '../domain/events/event.js';
import { frameData } from '../domain/events/frame.js';
import type { TokenShares } from '../domain/limits/token-shares.js';
import { headOf, type RunHead, type RunSpec } from '../domain/run.js';
import {
  LogPort,
  MOST_FOLDS,
  RESULTS_AT_ONCE,
  type AppendResult,
  type Claim,
  type ClaimOptions,
  type NoteResult,
  type LogPage,
  type ReserveResult,
  type Results,
  type RunState,
  type SealResult,
  type Step,
  type Tail,
} from './log-port.js';
import { reserveInMemory } from './memory-budget.js';
import type { LogBounds } from './log-room.js';
import { MemoryRun } from './memory-run.js';

const BOUNDS: LogBounds = {
  logMaxEvents: 100_000,
  logMaxBytes: 67_108_864,
  eventMaxBytes: 262_144,
};

const eventOf = (frame: Buffer) => JSON.parse(frameData(frame.toString())) as RunEvent;

/** Keeps logs in the memory of this process, for tests without Redis. Has no archive. */
export class MemoryLog extends LogPort {
  private readonly runs = new Map<string, MemoryRun>();

  /** @param now ms since the epoch */
  constructor(
    private readonly bounds: LogBounds = BOUNDS,
    private readonly now: () => number = Date.now,
  ) {
    super();
  }

  override async create(runId: string, spec: RunSpec, events: DraftEvent[]): Promise<RunHead> {
    const known = this.runs.get(runId);
    if (known) return headOf(known.spec);
    const run = new MemoryRun(runId, structuredClone(spec), events, this.bounds, this.now);
    this.runs.set(runId, run);
    return headOf(run.spec);
  }

  override async claim(runId: string, writer: string, options: ClaimOptions = {}): Promise<Claim> {
    return this.runs.get(runId)?.claim(writer, options) ?? { kind: 'missing' };
  }

  override async append(runId: string, step: Step): Promise<AppendResult> {
    return this.runs.get(runId)?.append(step) ?? { kind: 'missing' };
  }

  override async reserve(
    runId: string,
    { writer, epoch }: { writer: string; epoch: number },
    want: number,
    shares: TokenShares,
  ): Promise<ReserveResult> {
    const run = this.runs.get(runId);
    if (!run) return { kind: 'missing' };
    if (run.sealed) return { kind: 'sealed' };
    const claimed = run.writers.get(writer);
    if (claimed?.epoch !== epoch || claimed.done) return { kind: 'fenced' };
    return reserveInMemory(run, writer, want, shares);
  }

  override async seal(
    runId: string,
    fold: (events: RunEvent[]) => DraftEvent | Promise<DraftEvent>,
  ): Promise<SealResult | undefined> {
    const run = this.runs.get(runId);
    if (!run) return undefined;
    for (let folds = 1; ; folds++) {
      const reports = run.reports.size;
      const results = run.evidence.size;
      const event = await fold(await this.reports(runId));
      if (run.sealed) return { status: run.status, sealed: false, ms: 0 };
      if (run.reports.size !== reports) continue;
      if (folds < MOST_FOLDS && run.evidence.size !== results) continue;
      const ms = run.seal(event);
      return { status: run.status, sealed: true, ms };
    }
  }

  override async note(runId: string, events: DraftEvent[]): Promise<NoteResult> {
    return this.runs.get(runId)?.note(events) ?? 'missing';
  }

  override async countStart(runId: string): Promise<number> {
    return this.runs.get(runId)?.countStart() ?? 0;
  }

  override async markLost(runId: string, seen: number): Promise<void> {
    this.runs.get(runId)?.markLost(seen);
  }

  override async trim(runId: string): Promise<boolean> {
    const run = this.runs.get(runId);
    if (run && !run.sealed) return false;
    run?.trim();
    return true;
  }

  override async dropTopology(runId: string): Promise<void> {
    this.runs.get(runId)?.dropTopology();
  }

  override async forget(runId: string): Promise<void> {
    this.runs.delete(runId);
  }

  override async state(runId: string): Promise<RunState | undefined> {
    const run = this.runs.get(runId);
    if (!run) return undefined;
    const { status, lastSequence, createdAt, startedAt, endedAt, updatedAt, usage, lostUpTo } = run;
    return {
      status,
      lastSequence,
      createdAt,
      startedAt,
      endedAt,
      updatedAt,
      usage,
      lostUpTo,
      head: headOf(run.spec),
      expired: run.trimmed,
      archived: false,
    };
  }

  override async spec(runId: string): Promise<RunSpec | undefined> {
    const run = this.runs.get(runId);
    return run?.trimmed ? undefined : run?.spec;
  }

  override async read(runId: string, after: number, limit: number): Promise<LogPage> {
    const run = this.runs.get(runId);
    if (!run) throw new ConsiliumError('RUN_NOT_FOUND', `There is no run ${runId}`);
    if (run.trimmed && after < run.lastSequence)
      throw new ConsiliumError('RUN_EXPIRED', 'The log of this run is no longer kept');
    const before = run.frames[after - 1];
    return {
      ...(before && { before }),
      frames: run.frames.slice(after, after + limit),
      lastSequence: run.lastSequence,
      sealed: run.sealed,
    };
  }

  override async tail(runId: string, at = 0): Promise<Tail | undefined> {
    const run = this.runs.get(runId);
    const frame = run?.frames[at - 1];
    return run && { lastSequence: run.lastSequence, sealed: run.sealed, ...(frame && { frame }) };
  }

  override async events(runId: string, sequences: number[]): Promise<RunEvent[]> {
    const run = this.runs.get(runId);
    if (run?.terminal && sequences.includes(run.lastSequence)) return [eventOf(run.terminal)];
    return sequences
      .toSorted((a, b) => a - b)
      .flatMap((sequence) => run?.frames[sequence - 1] ?? [])
      .map(eventOf);
  }

  override async reports(
    runId: string,
    under = '',
    known = new Map<number, RunEvent>(),
  ): Promise<RunEvent[]> {
    const run = this.runs.get(runId);
    const found = [...(run?.dispatches ?? []), ...(run?.reports ?? [])];
    const sequences = found.flatMap(([id, sequence]) => (id.startsWith(under) ? [sequence] : []));
    const unknown = sequences.filter((sequence) => !known.has(sequence));
    for (const event of await this.events(runId, unknown)) known.set(event.sequence, event);
    return sequences.toSorted((a, b) => a - b).flatMap((sequence) => known.get(sequence) ?? []);
  }

  override async given(runId: string, name: string): Promise<RunEvent | undefined> {
    const sequence = this.runs.get(runId)?.given.get(name) ?? 0;
    const events = sequence > 0 ? await this.events(runId, [sequence]) : [];
    return events.find((event) => event.sequence === sequence);
  }

  override async givenUnder(runId: string, prefix: string): Promise<RunEvent[]> {
    const given = [...(this.runs.get(runId)?.given ?? [])];
    const found = given.flatMap(([name, at]) => (name.startsWith(prefix) ? [at] : []));
    return this.events(runId, found);
  }

  override async evidence(runId: string): Promise<Map<string, number>> {
    return new Map(this.runs.get(runId)?.evidence);
  }

  override async results(runId: string, under: string, known: Iterable<number>): Promise<Results> {
    const evidence = await this.evidence(runId);
    const left = new Set(known);
    const sequences = [...evidence].flatMap(([id, sequence]) =>
      id.startsWith(under) && !left.has(sequence) ? [sequence] : [],
    );
    sequences.sort((a, b) => a - b);
    const events = await this.events(runId, sequences.slice(0, RESULTS_AT_ONCE));
    return { evidence, events };
  }

  override async reported(runId: string): Promise<Set<string>> {
    return new Set(this.runs.get(runId)?.reports.keys());
  }

  override async dispatched(runId: string): Promise<string[]> {
    return [...(this.runs.get(runId)?.dispatches.keys() ?? [])];
  }

  /** Returns false: the log exists only in this process. */
  override async hasMoved(): Promise<boolean> {
    return false;
  }
}
