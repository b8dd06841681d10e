import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import type { DraftEvent, RunEvent, Usage } from '../domain/event.js';
import { frameData, readyEvent } from '../domain/frame.js';
import type { Json } from '../domain/json.js';
import { headOf, isTerminalStatus, type RunHead, type RunSpec, type RunStatus } from '../domain/run.js';
import { REDIS } from '../redis/redis.module.js';
import { runKeys, type RunKeys } from './keys.js';
import { APPEND, CLAIM, CREATE, SEAL } from './scripts.js';

/** What `claim` answers: the right to write, or why there is nothing left to do. */
export type Claim =
  | { kind: 'claimed'; epoch: number; step: number; claims: number; checkpoint: string | null; messages: string[] }
  /** It has been claimed so often without progress that it may be what kills its processes. Nothing was claimed. */
  | { kind: 'suspect'; claims: number }
  | { kind: 'sealed' }
  | { kind: 'done' }
  | { kind: 'missing' };

/** One step of a writer: its events, and what it needs to go on from there, recorded together or not at all. */
export interface Step {
  writer: string;
  epoch: number;
  step: number;
  events: DraftEvent[];
  /** The writer's state after this step, JSON; undefined leaves the last one. */
  checkpoint?: string;
  /** Pushed to the writer's conversation. */
  messages?: string[];
  /** The writer's last step: its checkpoint and conversation are dropped, it can never write again. */
  done?: boolean;
  /** False for a step that says only that work began again: it does not clear the count of fruitless claims. Default true. */
  progress?: boolean;
}

/** `first > last` for a step without events. `ms`: the log's clock. */
export type Appended =
  | { kind: 'ok'; first: number; last: number; ms: number }
  | { kind: 'sealed' }
  | { kind: 'fenced' }
  | { kind: 'gap'; step: number }
  | { kind: 'missing' };

export interface RunState {
  status: RunStatus;
  lastSequence: number;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** ms, the log's clock: of the last event. */
  updatedAt: number;
  usage: Usage;
  head: RunHead;
}

/** Frames of a stretch of a log, and where the log stood after they were read. */
export interface Page {
  frames: Buffer[];
  lastSequence: number;
  sealed: boolean;
}

interface Scripts {
  consiliumCreate(...args: (string | number)[]): Promise<string[]>;
  consiliumClaim(...args: (string | number)[]): Promise<[string, ...unknown[]]>;
  consiliumAppend(...args: (string | number)[]): Promise<string[]>;
  consiliumSeal(...args: (string | number)[]): Promise<string[]>;
}

const flat = (events: DraftEvent[]) =>
  events.flatMap((event) => {
    const { name, kind, argument, tail } = readyEvent(event);
    return [name, kind, argument, tail];
  });

/** The log of runs on Redis Streams: one stream a run, appended to through one script. Contract section 1, decision 1. */
@Injectable()
export class EventLog {
  private readonly scripts: Scripts;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    redis.defineCommand('consiliumCreate', { numberOfKeys: 5, lua: CREATE });
    redis.defineCommand('consiliumClaim', { numberOfKeys: 4, lua: CLAIM });
    redis.defineCommand('consiliumAppend', { numberOfKeys: 8, lua: APPEND });
    redis.defineCommand('consiliumSeal', { numberOfKeys: 5, lua: SEAL });
    this.scripts = redis as unknown as Scripts;
  }

  keys(runId: string): RunKeys {
    return runKeys(this.config.redisPrefix, runId);
  }

  /** Begins the log of a run; `spec` is kept with it. Harmless when repeated. @returns ms of creation, by the log's clock */
  async create(runId: string, spec: RunSpec, events: DraftEvent[]): Promise<number> {
    const k = this.keys(runId);
    const fields = ['head', JSON.stringify(headOf(spec)), 'spec', JSON.stringify(spec)];
    const answer = await this.scripts.consiliumCreate(...this.eventKeys(k), runId, k.feed, fields.length, ...fields, ...flat(events));
    return Number(answer[1]);
  }

  /**
   * Begins a stretch of a writer's work: every older holder of this writer is fenced off from here on. Decision 2.
   * @param suspectAt refuse a writer that was claimed this often without progress
   * @param counts false: the caller itself held the claim before, so that there was no crash
   */
  async claim(runId: string, writer: string, suspectAt = 0, counts = true): Promise<Claim> {
    const k = this.keys(runId);
    const [kind, epoch, step, claims, checkpoint, messages] = await this.scripts.consiliumClaim(
      k.state,
      k.writers,
      k.checkpoints,
      k.messages(writer),
      writer,
      suspectAt,
      counts ? 1 : 0,
    );
    if (kind === 'SUSPECT') return { kind: 'suspect', claims: epoch as number };
    if (kind === 'CLAIMED')
      return {
        kind: 'claimed',
        epoch: epoch as number,
        step: step as number,
        claims: claims as number,
        checkpoint: checkpoint as string | null,
        messages: messages as string[],
      };
    return { kind: kind === 'SEALED' ? 'sealed' : kind === 'DONE' ? 'done' : 'missing' };
  }

  /** Records a step, once however often it is called. @throws what ioredis throws when the outcome is not known: then call again */
  async append(runId: string, step: Step): Promise<Appended> {
    const k = this.keys(runId);
    const messages = step.messages ?? [];
    const [kind, first, last, ms] = await this.scripts.consiliumAppend(
      ...this.eventKeys(k),
      k.writers,
      k.checkpoints,
      k.messages(step.writer),
      runId,
      k.feed,
      step.writer,
      step.epoch,
      step.step,
      step.progress === false ? '0' : '1',
      step.done ? '1' : '0',
      step.checkpoint ?? '',
      messages.length,
      ...messages,
      ...flat(step.events),
    );
    switch (kind) {
      case 'OK':
        return { kind: 'ok', first: Number(first), last: Number(last), ms: Number(ms) };
      case 'SEALED':
        return { kind: 'sealed' };
      case 'FENCED':
        return { kind: 'fenced' };
      case 'GAP':
        return { kind: 'gap', step: Number(first) };
      default:
        return { kind: 'missing' };
    }
  }

  /**
   * Ends a run from outside of its agents. `fold` makes the terminal event from the reports there are; it is called again
   * when one more came in before the seal.
   * @returns the state that the run has ended in, and whether it was this call that ended it; undefined for an unknown run
   */
  async seal(
    runId: string,
    fold: (events: RunEvent[]) => DraftEvent,
  ): Promise<{ status: RunStatus; sealed: boolean; ms: number } | undefined> {
    const k = this.keys(runId);
    for (;;) {
      const reports = await this.reports(runId);
      const count = reports.filter((event) => event.event.action === 'report').length;
      const event = fold(reports);
      const [kind, first, , ms] = await this.scripts.consiliumSeal(...this.eventKeys(k), runId, k.feed, count, ...flat([event]));
      if (kind === 'OK') return { status: event.name.slice('lifecycle.'.length) as RunStatus, sealed: true, ms: Number(ms) };
      if (kind === 'SEALED') return { status: first as RunStatus, sealed: false, ms: 0 };
      if (kind === 'MISSING') return undefined;
    }
  }

  /** The dispatches and reports of a run, in the order of the log. */
  async reports(runId: string): Promise<RunEvent[]> {
    const k = this.keys(runId);
    const found = await this.redis.pipeline().hvals(k.dispatches).hvals(k.reports).exec();
    const sequences = (found ?? []).flatMap(([error, values]) => {
      if (error) throw error;
      return (values as string[]).map(Number);
    });
    return this.events(runId, sequences);
  }

  /** Chosen events of a run, in the order of the log. */
  async events(runId: string, sequences: number[]): Promise<RunEvent[]> {
    if (sequences.length === 0) return [];
    const { log } = this.keys(runId);
    const pipeline = this.redis.pipeline();
    for (const sequence of sequences.toSorted((a, b) => a - b)) pipeline.xrange(log, `${sequence}-0`, `${sequence}-0`);
    const answers = (await pipeline.exec()) ?? [];
    return answers.flatMap(([error, entries]) => {
      if (error) throw error;
      return (entries as [string, string[]][]).map(([, fields]) => JSON.parse(frameData(fields[1] ?? '')) as RunEvent);
    });
  }

  /** `tool_call_id` → sequence of its result. */
  async evidence(runId: string): Promise<Map<string, number>> {
    const found = await this.redis.hgetall(this.keys(runId).evidence);
    return new Map(Object.entries(found).map(([id, sequence]) => [id, Number(sequence)]));
  }

  /** Ids of the dispatches that have reported. */
  async reported(runId: string): Promise<Set<string>> {
    return new Set(await this.redis.hkeys(this.keys(runId).reports));
  }

  /** Ids of all dispatches sent so far. */
  async dispatched(runId: string): Promise<string[]> {
    return this.redis.hkeys(this.keys(runId).dispatches);
  }

  async state(runId: string): Promise<RunState | undefined> {
    const fields = ['status', 'seq', 'created', 'started', 'ended', 'input', 'output', 'head', 'ms'] as const;
    const [status, seq, created, started, ended, input, output, head, updated] = await this.redis.hmget(this.keys(runId).state, ...fields);
    if (!status) return undefined;
    const tokens = { input_tokens: Number(input), output_tokens: Number(output) };
    return {
      status: status as RunStatus,
      lastSequence: Number(seq),
      createdAt: Number(created),
      startedAt: started ? Number(started) : null,
      endedAt: ended ? Number(ended) : null,
      updatedAt: Number(updated),
      usage: { ...tokens, total_tokens: tokens.input_tokens + tokens.output_tokens },
      head: JSON.parse(head as string) as RunHead,
    };
  }

  /** What a run was started with: never changes. */
  async spec(runId: string): Promise<RunSpec | undefined> {
    const spec = await this.redis.hget(this.keys(runId).state, 'spec');
    return spec === null ? undefined : (JSON.parse(spec) as RunSpec);
  }

  /** Whether anybody follows a run, on any node. */
  async isFollowed(runId: string): Promise<boolean> {
    const [, nodes] = await this.redis.pubsub('NUMSUB', this.keys(runId).feed);
    return Number(nodes) > 0;
  }

  /** Where a log ends now, and whether for good. */
  async tail(runId: string): Promise<{ lastSequence: number; sealed: boolean } | undefined> {
    const [status, seq] = await this.redis.hmget(this.keys(runId).state, 'status', 'seq');
    return status ? { lastSequence: Number(seq), sealed: isTerminalStatus(status as RunStatus) } : undefined;
  }

  /**
   * At most `limit` frames after a sequence. The end of the log is read after the frames, so that `sealed` with the last
   * frame at `lastSequence` means that there is nothing more to come.
   * @throws ConsiliumError RUN_NOT_FOUND, RUN_EXPIRED
   */
  async read(runId: string, after: number, limit: number): Promise<Page> {
    const k = this.keys(runId);
    const answers = await this.redis
      .pipeline()
      .xrangeBuffer(k.log, `(${after}-0`, '+', 'COUNT', limit)
      .hmget(k.state, 'status', 'seq')
      .exec();
    const [frames, state] = (answers ?? []).map(([error, value]) => {
      if (error) throw error;
      return value as Json;
    }) as unknown as [[Buffer, Buffer[]][], [string | null, string | null]];
    if (!state[0]) throw new ConsiliumError('RUN_NOT_FOUND', `There is no run ${runId}`);
    const lastSequence = Number(state[1]);
    if (frames.length === 0 && after < lastSequence) throw new ConsiliumError('RUN_EXPIRED', 'The log of this run is no longer kept');
    return {
      frames: frames.map(([, fields]) => fields[1] ?? Buffer.alloc(0)),
      lastSequence,
      sealed: isTerminalStatus(state[0] as RunStatus),
    };
  }

  private eventKeys(k: RunKeys): [string, string, string, string, string] {
    return [k.log, k.state, k.evidence, k.dispatches, k.reports];
  }
}
