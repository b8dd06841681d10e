import { Inject, Injectable } from '@nestjs/common';
import { Redis, type Cluster } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import type { DraftEvent, RunEvent } from '../domain/events/event.js';
import { frameData, readyEvent } from '../domain/events/frame.js';
import {
  headOf,
  isTerminalStatus,
  type RunHead,
  type RunSpec,
  type RunStatus,
} from '../domain/run.js';
import { measurementOf, type Measurement } from '../domain/diagnosis/measurement.js';
import type { Topology } from '../domain/topology/topology.js';
import { isCluster } from '../redis/connect.js';
import { REDIS } from '../redis/redis-token.js';
import type { TokenShares } from '../domain/limits/token-shares.js';
import type { Appended, Claim, Page, Reserved, RunState, Step, Tail } from './answers.js';
import { Archive } from './archive.js';
import { runKeys, type RunKeys } from './keys.js';
import { readPage } from './read-page.js';
import { Recent } from './recent.js';
import { defineLogScripts, type LogScripts } from './lua/index.js';

export type * from './answers.js';

/** UTF-16 code units of specifications that a process remembers, and for how long: it works on many agents of the same runs. */
const [SPECS_SIZE, SPECS_MS] = [16_777_216, 60_000];
/** How often a run that is ended is folded anew for a tool result that came in meanwhile. */
const MOST_FOLDS = 20;
/** Tool results that are read at once: each may have 64 kB. */
const RESULTS_AT_ONCE = 100;
/** How logs are written. One that says none was written before there was another. */
const LOG_VERSION = '1';

/** The log of runs on Redis Streams: one stream a run, appended to through one script. Contract section 1, decision 1. */
@Injectable()
export class EventLog {
  private readonly scripts: LogScripts;
  private readonly archive: Archive | undefined;
  private readonly specs = new Recent<RunSpec>(SPECS_SIZE, SPECS_MS);
  private full: (runId: string) => Promise<unknown> = () => Promise.resolve();
  private leaving: (runId: string, head: RunHead) => Promise<unknown> = () => Promise.resolve();

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.scripts = defineLogScripts(redis, isCluster(config.redisUrl) ? 'SPUBLISH' : 'PUBLISH');
    this.archive = config.archiveDir === undefined ? undefined : new Archive(config.archiveDir);
  }

  /** Whom to ask to end a run whose log has no room for a step. He is waited for, and asked again when he fails. */
  whenFull(end: (runId: string) => Promise<unknown>): void {
    this.full = end;
  }

  /** Whom to tell of the log of a run that has ended, before it is dropped. He is waited for; it stays where he fails. */
  beforeTrim(keep: (runId: string, head: RunHead) => Promise<unknown>): void {
    this.leaving = keep;
  }

  keys(runId: string): RunKeys {
    return runKeys(this.config.redisPrefix, runId);
  }

  /** Begins the log of a run; `spec` is kept with it. Harmless when repeated. @returns ms of creation, by the log's clock */
  async create(runId: string, spec: RunSpec, events: DraftEvent[]): Promise<number> {
    const k = this.keys(runId);
    const fields = ['head', JSON.stringify(headOf(spec)), 'spec', JSON.stringify(spec)];
    const answer = await this.scripts.consiliumCreate(
      ...this.eventKeys(k),
      runId,
      k.feed,
      fields.length,
      ...fields,
      ...this.flat(events),
    );
    return Number(answer[1]);
  }

  /**
   * Begins a stretch of a writer's work: every older holder of this writer is fenced off from here on. Decision 2.
   * @param suspectAt refuse a writer that was claimed this often without progress
   * @param counts false: the caller itself held the claim before, so that there was no crash
   * @param name of this claim, so that it may be repeated when its answer was lost
   */
  async claim(
    runId: string,
    writer: string,
    suspectAt = 0,
    counts = true,
    name = '',
  ): Promise<Claim> {
    const k = this.keys(runId);
    const [kind, epoch, step, claims, checkpoint, messages, created, tokens] =
      await this.scripts.consiliumClaim(
        k.state,
        k.writers,
        k.checkpoints,
        k.messages(writer),
        k.budget,
        writer,
        suspectAt,
        counts ? 1 : 0,
        name,
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
        createdAt: Number(created),
        tokens: tokens as number,
      };
    return { kind: kind === 'SEALED' ? 'sealed' : kind === 'DONE' ? 'done' : 'missing' };
  }

  /** Records a step, once however often it is called. @throws what ioredis throws when the outcome is not known: then call again */
  async append(runId: string, step: Step): Promise<Appended> {
    const k = this.keys(runId);
    const messages = step.messages ?? [];
    const [kind, first, last, ms, tokens] = await this.scripts.consiliumAppend(
      ...this.eventKeys(k),
      k.writers,
      k.checkpoints,
      k.messages(step.writer),
      k.budget,
      runId,
      k.feed,
      step.writer,
      step.epoch,
      step.step,
      step.progress === false ? '0' : step.progress === 'going' ? '2' : '1',
      step.done ? '1' : '0',
      this.config.logMaxEvents,
      this.config.logMaxBytes,
      // The event that ends a full log always finds room.
      this.config.eventMaxBytes,
      step.checkpoint ?? '',
      messages.length,
      ...messages,
      ...this.flat(step.events),
    );
    switch (kind) {
      case 'OK':
        return {
          kind: 'ok',
          first: Number(first),
          last: Number(last),
          ms: Number(ms),
          tokens: Number(tokens),
        };
      case 'SEALED':
        return { kind: 'sealed' };
      case 'FENCED':
        // By an older epoch: the log does not know any more that this one was claimed.
        if (Number(first) < step.epoch) await this.markLost(runId, step.seen ?? 0);
        return { kind: 'fenced' };
      case 'GAP':
        await this.markLost(runId, step.seen ?? 0);
        return { kind: 'gap', step: Number(first) };
      case 'FULL':
        await this.full(runId);
        return { kind: 'full' };
      default:
        return { kind: 'missing' };
    }
  }

  /**
   * Reserves tokens of the run's budget for one model call of a writer; the append that has its usage settles it, and a claim
   * frees it. A writer has one reservation at a time.
   * @param want 0: gives back what is reserved
   */
  async reserve(
    runId: string,
    writer: string,
    epoch: number,
    want: number,
    shares: TokenShares,
  ): Promise<Reserved> {
    const k = this.keys(runId);
    const { budget, top, supervisors, workers } = shares;
    const args = [writer, epoch, want, budget, top, supervisors, workers];
    const [kind, tokens, used] = await this.scripts.consiliumReserve(
      k.state,
      k.writers,
      k.budget,
      k.dispatches,
      k.reports,
      ...args,
    );
    switch (kind) {
      case 'GRANTED':
        return { kind: 'granted', tokens: Number(tokens), used: Number(used) };
      case 'WAIT':
        return { kind: 'wait', used: Number(used) };
      case 'SPENT':
        return { kind: 'spent', used: Number(used) };
      case 'SEALED':
        return { kind: 'sealed' };
      case 'FENCED':
        return { kind: 'fenced' };
      default:
        return { kind: 'missing' };
    }
  }

  /**
   * Ends a run from outside of its agents. `fold` makes the terminal event from the reports there are; it is called again
   * when a report or a tool result came in before the seal. After {@link MOST_FOLDS} times only reports are waited for.
   * @returns the state that the run has ended in, and whether it was this call that ended it; undefined for an unknown run
   */
  async seal(
    runId: string,
    fold: (events: RunEvent[]) => DraftEvent | Promise<DraftEvent>,
  ): Promise<{ status: RunStatus; sealed: boolean; ms: number } | undefined> {
    const k = this.keys(runId);
    for (let folds = 1; ; folds++) {
      const results = (await this.evidence(runId)).size;
      const reports = await this.reports(runId);
      const count = reports.filter((event) => event.event.action === 'report').length;
      const event = await fold(reports);
      const [kind, first, , ms] = await this.scripts.consiliumSeal(
        ...this.eventKeys(k),
        runId,
        k.feed,
        count,
        folds < MOST_FOLDS ? results : -1,
        ...this.flat([event]),
      );
      if (kind === 'OK')
        return {
          status: event.name.slice('lifecycle.'.length) as RunStatus,
          sealed: true,
          ms: Number(ms),
        };
      if (kind === 'SEALED') return { status: first as RunStatus, sealed: false, ms: 0 };
      if (kind === 'MISSING') return undefined;
    }
  }

  /**
   * The dispatches and reports of a run, in the order of the log.
   * @param of those whose dispatch's id has this
   * @param known what was read before, by sequence: it is not read again, and what is read is added
   */
  async reports(
    runId: string,
    of: (dispatchId: string) => boolean = () => true,
    known = new Map<number, RunEvent>(),
  ): Promise<RunEvent[]> {
    const k = this.keys(runId);
    const found = await this.redis.pipeline().hgetall(k.dispatches).hgetall(k.reports).exec();
    const sequences = (found ?? []).flatMap(([error, byId]) => {
      if (error) throw error;
      return Object.entries(byId as Record<string, string>).flatMap(([id, sequence]) =>
        of(id) ? [Number(sequence)] : [],
      );
    });
    const unknown = sequences.filter((sequence) => !known.has(sequence));
    for (const event of await this.events(runId, unknown)) known.set(event.sequence, event);
    return sequences.toSorted((a, b) => a - b).flatMap((sequence) => known.get(sequence) ?? []);
  }

  /** Chosen events of a run, in the order of the log. Of a log that is gone, the terminal one is left. */
  async events(runId: string, sequences: number[]): Promise<RunEvent[]> {
    if (sequences.length === 0) return [];
    const k = this.keys(runId);
    const pipeline = this.redis.pipeline();
    for (const sequence of sequences.toSorted((a, b) => a - b))
      pipeline.xrange(k.log, `${sequence}-0`, `${sequence}-0`);
    const frames = ((await pipeline.exec()) ?? []).flatMap(([error, entries]) => {
      if (error) throw error;
      return (entries as [string, string[]][]).map(([, fields]) => fields[1] ?? '');
    });
    const events = frames.map((frame) => JSON.parse(frameData(frame)) as RunEvent);
    if (events.length === sequences.length) return events;
    const terminal = await this.redis.hget(k.state, 'terminal');
    if (!terminal) return events;
    const last = JSON.parse(frameData(terminal)) as RunEvent;
    return sequences.includes(last.sequence) && events.length === 0 ? [last] : events;
  }

  /** `tool_call_id` → sequence of its result. */
  async evidence(runId: string): Promise<Map<string, number>> {
    const found = await this.redis.hgetall(this.keys(runId).evidence);
    return new Map(Object.entries(found).map(([id, sequence]) => [id, Number(sequence)]));
  }

  /**
   * What the tools of a run have measured, in the order of the log, read in batches and reduced at once.
   * @param of results whose `tool_call_id` has this
   */
  async measurements(
    runId: string,
    topology: Pick<Topology, 'teams'>,
    of: (toolCallId: string) => boolean = () => true,
  ): Promise<Measurement[]> {
    const evidence = await this.evidence(runId);
    const sequences = [...evidence].flatMap(([id, sequence]) => (of(id) ? [sequence] : []));
    sequences.sort((a, b) => a - b);
    const measurements: Measurement[] = [];
    for (let from = 0; from < sequences.length; from += RESULTS_AT_ONCE)
      for (const event of await this.events(runId, sequences.slice(from, from + RESULTS_AT_ONCE))) {
        const measurement =
          event.event.action === 'tool_result'
            ? measurementOf(event as RunEvent<'llm.tool_result'>, topology)
            : undefined;
        if (measurement) measurements.push(measurement);
      }
    return measurements;
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
    const fields = [
      'status',
      'seq',
      'created',
      'started',
      'ended',
      'input',
      'output',
      'head',
      'ms',
      'trimmed',
      'lost',
      'cost',
      'version',
    ] as const;
    const found = await this.redis.hmget(this.keys(runId).state, ...fields);
    const [
      status,
      seq,
      created,
      started,
      ended,
      input,
      output,
      head,
      updated,
      trimmed,
      lost,
      cost,
      version,
    ] = found;
    if (!status) return undefined;
    if (version && version !== LOG_VERSION)
      throw new ConsiliumError('UNAVAILABLE', 'A later version of the service wrote this run', {
        retryAfterSeconds: 5,
      });
    const tokens = { input_tokens: Number(input), output_tokens: Number(output) };
    return {
      status: status as RunStatus,
      lastSequence: Number(seq),
      createdAt: Number(created),
      startedAt: started ? Number(started) : null,
      endedAt: ended ? Number(ended) : null,
      updatedAt: Number(updated),
      usage: {
        ...tokens,
        total_tokens: tokens.input_tokens + tokens.output_tokens,
        ...(cost && { cost: Number(cost) / 1e8 }),
      },
      head: JSON.parse(head as string) as RunHead,
      expired: Boolean(trimmed) && !(await this.archive?.has(runId)),
      lostUpTo: Number(lost ?? 0),
    };
  }

  /** What a run was started with: never changes, and is not to be changed. Undefined where it is gone. */
  async spec(runId: string): Promise<RunSpec | undefined> {
    const remembered = this.specs.get(runId);
    if (remembered) return remembered;
    const text = await this.redis.hget(this.keys(runId).state, 'spec');
    if (text === null) return undefined;
    const spec = JSON.parse(text) as RunSpec;
    this.specs.set(runId, spec, text.length);
    return spec;
  }

  /** To be called when a run is started again. @returns how often it was since it last got any further */
  async countStart(runId: string): Promise<number> {
    return this.scripts.consiliumStarted(this.keys(runId).state);
  }

  /** Whether anybody follows a run, on any node. */
  async isFollowed(runId: string): Promise<boolean> {
    const { feed } = this.keys(runId);
    const cluster = isCluster(this.config.redisUrl);
    const nodes = cluster ? (this.redis as unknown as Cluster).nodes('master') : [this.redis];
    const counted = await Promise.all(
      nodes.map((node) =>
        cluster ? node.pubsub('SHARDNUMSUB', feed) : node.pubsub('NUMSUB', feed),
      ),
    );
    return counted.some(([, followers]) => Number(followers) > 0);
  }

  /**
   * Remembers that a log has lost its end, or some of what was seen of it: what stands there now is another history. So nobody
   * may go on in it from a place that is not after all that was seen.
   */
  async markLost(runId: string, seen: number): Promise<void> {
    if (seen > 0) await this.scripts.consiliumLost(this.keys(runId).state, seen);
  }

  /** Whether a run was accepted by another process of Redis than this: what was acknowledged may have been lost in between. */
  async hasMoved(runId: string): Promise<boolean> {
    return (await this.scripts.consiliumMoved(this.keys(runId).state)) === 1;
  }

  /** Where a log ends now, and whether for good. @param at asks for a frame beside that; it may be gone */
  async tail(runId: string, at = 0): Promise<Tail | undefined> {
    const k = this.keys(runId);
    const asked = this.redis.pipeline().hmget(k.state, 'status', 'seq');
    if (at > 0) asked.xrangeBuffer(k.log, `${at}-0`, `${at}-0`);
    const [state, entries] = ((await asked.exec()) ?? []).map(([error, value]) => {
      if (error) throw error;
      return value;
    }) as [[string | null, string | null], [Buffer, Buffer[]][] | undefined];
    const [status, seq] = state;
    const frame = entries?.[0]?.[1][1];
    return status
      ? {
          lastSequence: Number(seq),
          sealed: isTerminalStatus(status as RunStatus),
          ...(frame && { frame }),
        }
      : undefined;
  }

  /**
   * At most `limit` frames after a sequence, from the archive where the log is gone. The end of the log is read before the
   * frames: they may reach beyond it, but where there are none, there were none up to it. `sealed` with the last frame at
   * `lastSequence` means that there is nothing more to come.
   * @throws ConsiliumError RUN_NOT_FOUND, RUN_EXPIRED
   */
  async read(runId: string, after: number, limit: number): Promise<Page> {
    const page = await readPage(this.redis, this.keys(runId), after, limit);
    if (!page) throw new ConsiliumError('RUN_NOT_FOUND', `There is no run ${runId}`);
    const { lastSequence, sealed, missing, before } = page;
    let { frames } = page;
    if (missing) frames = (await this.archive?.read(runId, after, limit)) ?? [];
    if (missing && frames.length === 0)
      throw new ConsiliumError('RUN_EXPIRED', 'The log of this run is no longer kept');
    return { frames, lastSequence, sealed, ...(before && { before }) };
  }

  /**
   * Drops the log of a run that has ended, to the archive where there is one. What `state` says stays, and the terminal event.
   * Harmless when repeated. @returns false for a run that has not ended
   */
  async trim(runId: string): Promise<boolean> {
    const k = this.keys(runId);
    const state = await this.state(runId);
    if (!state) return true;
    if (!isTerminalStatus(state.status)) return false;
    if (state.expired) return true;
    await this.leaving(runId, state.head);
    if (this.archive && !(await this.archive.has(runId)))
      await this.archive.write(runId, (after) => this.read(runId, after, 500));
    const writers = (await this.redis.hkeys(k.writers)).filter((writer) => !writer.startsWith('@'));
    const rest = [
      k.evidence,
      k.dispatches,
      k.reports,
      k.budget,
      k.writers,
      k.checkpoints,
      ...writers.map((writer) => k.messages(writer)),
    ];
    await this.scripts.consiliumTrim(2 + rest.length, k.log, k.state, ...rest);
    return true;
  }

  /** Forgets a run whose log was dropped. */
  async forget(runId: string): Promise<void> {
    this.specs.delete(runId);
    await this.redis.unlink(this.keys(runId).state);
  }

  private flat(events: DraftEvent[]): string[] {
    return events.flatMap((event) => {
      const { name, kind, argument, tail } = readyEvent(event, this.config.eventMaxBytes);
      return [name, kind, argument, tail];
    });
  }

  private eventKeys(k: RunKeys): [string, string, string, string, string] {
    return [k.log, k.state, k.evidence, k.dispatches, k.reports];
  }
}
