import type { Redis } from 'ioredis';
import type { Config } from '../config/config.js';
import type { LogObserver } from '../domain/events/log-observer.js';
import type { DraftEvent, RunEvent } from '../domain/events/event.js';
import { readyEvent } from '../domain/events/frame.js';
import type { TokenShares } from '../domain/limits/token-shares.js';
import { headOf, withoutTopology, type RunHead, type RunSpec } from '../domain/run.js';
import { tenantOf } from '../domain/tenant.js';
import { isTerminalStatus, type RunStatus } from '../domain/run-status.js';
import { allOf } from '../redis/all-of.js';
import type { RunKeys } from './keys.js';
import {
  MOST_FOLDS,
  type AppendResult,
  type Claim,
  type ClaimOptions,
  type LogPort,
  type NoteResult,
  type ReserveResult,
  type SealResult,
  type Step,
} from './log-port.js';
import { roomIn } from './log-room.js';
import { RedisLogReader } from './redis-log-reader.js';

/**
 * Writes logs to Redis. Each method except `trim` is one Lua script, atomic on the keys of its run.
 */
export class RedisLog extends RedisLogReader implements LogPort {
  /** @param observer sees the steps that this process appends */
  constructor(
    redis: Redis,
    config: Config,
    private readonly observer?: LogObserver,
  ) {
    super(redis, config);
  }

  async create(runId: string, spec: RunSpec, events: DraftEvent[]): Promise<RunHead> {
    const k = this.keys(runId);
    const topology = this.box.seal(spec.topology, tenantOf(spec.owner));
    const kept = JSON.stringify({ ...spec, topology });
    const head = headOf(spec);
    const fields = ['head', JSON.stringify(head), 'spec', kept];
    const flat = this.flat(events);
    const started = performance.now();
    const answer = await this.scripts.consiliumCreate(
      ...this.eventKeys(k),
      runId,
      k.feed,
      fields.length,
      ...fields,
      ...flat,
    );
    this.observe(events, flat, started);
    const [, , , known] = answer;
    return known === undefined ? head : (JSON.parse(known) as RunHead);
  }

  async claim(
    runId: string,
    writer: string,
    { suspectAt = 0, counts = true, name = '' }: ClaimOptions = {},
  ): Promise<Claim> {
    const k = this.keys(runId);
    const [kind, epoch, step, claims, checkpoint, messages, created, tokens, now] =
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
        now: Number(now),
        tokens: tokens as number,
      };
    if (kind === 'NEWER') return { kind: 'newer' };
    return { kind: kind === 'SEALED' ? 'sealed' : kind === 'DONE' ? 'done' : 'missing' };
  }

  async append(runId: string, step: Step): Promise<AppendResult> {
    const k = this.keys(runId);
    const messages = step.messages ?? [];
    const flat = this.flat(step.events);
    const started = performance.now();
    const [kind, first, last, ms, tokens, events, bytes] = await this.scripts.consiliumAppend(
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
      // Reserved for the terminal event of a full log.
      this.config.eventMaxBytes,
      step.checkpoint ?? '',
      messages.length,
      ...messages,
      ...flat,
    );
    switch (kind) {
      case 'OK':
        this.observe(step.events, flat, started);
        return {
          kind: 'ok',
          first: Number(first),
          last: Number(last),
          ms: Number(ms),
          tokens: Number(tokens),
          room: roomIn(this.config, { events: Number(events), bytes: Number(bytes) }),
        };
      case 'SEALED':
        return { kind: 'sealed' };
      case 'FENCED':
        // The log has an older epoch than the caller: it has lost the caller's claim.
        if (Number(first) < step.epoch) await this.markLost(runId, step.seen ?? 0);
        return { kind: 'fenced' };
      case 'GAP':
        await this.markLost(runId, step.seen ?? 0);
        return { kind: 'gap', step: Number(first) };
      case 'FULL':
        return { kind: 'full' };
      default:
        return { kind: 'missing' };
    }
  }

  async reserve(
    runId: string,
    { writer, epoch }: { writer: string; epoch: number },
    want: number,
    shares: TokenShares,
  ): Promise<ReserveResult> {
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

  async seal(
    runId: string,
    fold: (events: RunEvent[]) => DraftEvent | Promise<DraftEvent>,
  ): Promise<SealResult | undefined> {
    const k = this.keys(runId);
    for (let folds = 1; ; folds++) {
      // Counted before they are read, and not by the number read: a log that lost frames has fewer
      // than are indexed.
      const [count, results] = (await allOf(
        this.redis.pipeline().hlen(k.reports).hlen(k.evidence),
      )) as [number, number];
      const reports = await this.reports(runId);
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

  async note(runId: string, events: DraftEvent[]): Promise<NoteResult> {
    const k = this.keys(runId);
    const { logMaxEvents, logMaxBytes, eventMaxBytes } = this.config;
    const [kind] = await this.scripts.consiliumNote(
      ...this.eventKeys(k),
      runId,
      k.feed,
      ...[logMaxEvents, logMaxBytes, eventMaxBytes],
      ...this.flat(events),
    );
    return kind === 'OK'
      ? 'ok'
      : kind === 'SEALED'
        ? 'sealed'
        : kind === 'FULL'
          ? 'full'
          : 'missing';
  }

  async countStart(runId: string): Promise<number> {
    return this.scripts.consiliumStarted(this.keys(runId).state);
  }

  async markLost(runId: string, seen: number): Promise<void> {
    if (seen > 0) await this.scripts.consiliumLost(this.keys(runId).state, seen);
  }

  async trim(runId: string): Promise<boolean> {
    const k = this.keys(runId);
    const state = await this.state(runId);
    if (!state) return true;
    if (!isTerminalStatus(state.status)) return false;
    if (state.expired) return true;
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

  async dropTopology(runId: string): Promise<void> {
    const { state } = this.keys(runId);
    this.specs.delete(runId);
    const text = await this.redis.hget(state, 'spec');
    if (text === null) return;
    const rest = withoutTopology(JSON.parse(text) as RunSpec);
    await this.scripts.consiliumShorten(state, JSON.stringify(rest));
  }

  async forget(runId: string): Promise<void> {
    this.specs.delete(runId);
    await this.redis.unlink(this.keys(runId).state);
  }

  private observe(events: readonly DraftEvent[], flat: readonly string[], started: number): void {
    const tookMs = performance.now() - started;
    const bytes = flat.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    this.observer?.appended(events, { tookMs, bytes });
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
