import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { SecretBox } from '../config/secret-box.js';
import { ConsiliumError } from '../domain/errors.js';
import type { RunEvent } from '../domain/events/event.js';
import { frameData } from '../domain/events/frame.js';
import type { RunHead, RunSpec } from '../domain/run.js';
import { isTerminalStatus, type RunStatus } from '../domain/run-status.js';
import { tenantOf } from '../domain/tenant.js';
import { allOf } from '../redis/all-of.js';
import { isCluster } from '../redis/redis-url.js';
import { REDIS } from '../redis/redis-token.js';
import { Archive } from './archive.js';
import { runKeys, type RunKeys } from './keys.js';
import {
  LogReader,
  RESULTS_AT_ONCE,
  type LogPage,
  type Results,
  type RunState,
  type Tail,
} from './log-port.js';
import { LOG_VERSION } from './log-version.js';
import { defineLogScripts, type LogScripts } from './lua/index.js';
import { readPage } from './read-page.js';

/**
 * Size of the cache of specifications, in UTF-16 code units. A process works on many agents of the
 * same runs.
 */
const SPECS_SIZE = 16_777_216;
const STATE_FIELDS = [
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

/** Reads logs from Redis: one stream per run and the hashes listed in `keys.ts`. */
@Injectable()
export class RedisLogReader extends LogReader {
  protected readonly scripts: LogScripts;
  protected readonly archive: Archive | undefined;
  /** Seals the secrets of the topologies that are stored with runs. */
  protected readonly box: SecretBox;
  protected readonly specs = new LRUCache<string, RunSpec>({ maxSize: SPECS_SIZE });

  constructor(
    @Inject(REDIS) protected readonly redis: Redis,
    @Inject(CONFIG) protected readonly config: Config,
  ) {
    super();
    this.scripts = defineLogScripts(redis, isCluster(config.redisUrl) ? 'SPUBLISH' : 'PUBLISH');
    this.box = SecretBox.from(config);
    this.archive = config.archiveDir === undefined ? undefined : new Archive(config.archiveDir);
  }

  keys(runId: string): RunKeys {
    return runKeys(this.config.redisPrefix, runId);
  }

  override async reports(
    runId: string,
    under = '',
    known = new Map<number, RunEvent>(),
  ): Promise<RunEvent[]> {
    const { log, dispatches, reports } = this.keys(runId);
    const [found, frames] = await this.scripts.consiliumReports(
      ...[log, dispatches, reports],
      under,
      ...known.keys(),
    );
    for (const event of frames.map(eventOf)) known.set(event.sequence, event);
    return found
      .map(Number)
      .sort((a, b) => a - b)
      .flatMap((sequence) => known.get(sequence) ?? []);
  }

  override async events(runId: string, sequences: number[]): Promise<RunEvent[]> {
    if (sequences.length === 0) return [];
    const k = this.keys(runId);
    const inOrder = sequences.toSorted((a, b) => a - b);
    const frames = await this.scripts.consiliumEvents(k.log, ...inOrder);
    const events = frames.map(eventOf);
    if (events.length === sequences.length) return events;
    const terminal = await this.redis.hget(k.state, 'terminal');
    if (!terminal) return events;
    const last = eventOf(terminal);
    return sequences.includes(last.sequence) && events.length === 0 ? [last] : events;
  }

  override async given(runId: string, name: string): Promise<RunEvent | undefined> {
    const sequence = Number(await this.redis.hget(this.keys(runId).state, `once:${name}`));
    const events = sequence > 0 ? await this.events(runId, [sequence]) : [];
    return events.find((event) => event.sequence === sequence);
  }

  override async givenUnder(runId: string, prefix: string): Promise<RunEvent[]> {
    const { state } = this.keys(runId);
    const fields = (await this.redis.hkeys(state)).filter((field) =>
      field.startsWith(`once:${prefix}`),
    );
    if (fields.length === 0) return [];
    const found = (await this.redis.hmget(state, ...fields)).map(Number);
    return this.events(
      runId,
      found.filter((at) => at > 0),
    );
  }

  override async evidence(runId: string): Promise<Map<string, number>> {
    const found = await this.redis.hgetall(this.keys(runId).evidence);
    return new Map(Object.entries(found).map(([id, sequence]) => [id, Number(sequence)]));
  }

  override async results(runId: string, under: string, known: Iterable<number>): Promise<Results> {
    const { log, evidence } = this.keys(runId);
    const [found, frames] = await this.scripts.consiliumResults(
      ...[log, evidence, under, RESULTS_AT_ONCE],
      ...known,
    );
    const sequences = new Map<string, number>();
    for (let i = 0; i < found.length; i += 2)
      sequences.set(found[i] as string, Number(found[i + 1]));
    return { evidence: sequences, events: frames.map(eventOf) };
  }

  override async reported(runId: string): Promise<Set<string>> {
    return new Set(await this.redis.hkeys(this.keys(runId).reports));
  }

  override async dispatched(runId: string): Promise<string[]> {
    return this.redis.hkeys(this.keys(runId).dispatches);
  }

  override async state(runId: string): Promise<RunState | undefined> {
    const found = await this.redis.hmget(this.keys(runId).state, ...STATE_FIELDS);
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
    // Without a sequence its creation was interrupted, and the run was never accepted.
    if (!status || !seq) return undefined;
    if (version && version !== LOG_VERSION)
      throw new ConsiliumError('UNAVAILABLE', 'A later version of the service wrote this run', {
        retryAfterSeconds: 5,
      });
    const archived = Boolean(trimmed) && (await this.archive?.has(runId)) === true;
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
      expired: Boolean(trimmed) && !archived,
      archived,
      lostUpTo: Number(lost ?? 0),
    };
  }

  override async spec(runId: string): Promise<RunSpec | undefined> {
    const remembered = this.specs.get(runId);
    if (remembered) return remembered;
    const text = await this.redis.hget(this.keys(runId).state, 'spec');
    if (text === null) return undefined;
    const kept = JSON.parse(text) as RunSpec;
    const spec = { ...kept, topology: this.box.open(kept.topology, tenantOf(kept.owner)) };
    this.specs.set(runId, spec, { size: text.length });
    return spec;
  }

  override async hasMoved(runId: string): Promise<boolean> {
    return (await this.scripts.consiliumMoved(this.keys(runId).state)) === 1;
  }

  override async tail(runId: string, at = 0): Promise<Tail | undefined> {
    const k = this.keys(runId);
    const asked = this.redis.pipeline().hmget(k.state, 'status', 'seq');
    if (at > 0) asked.xrangeBuffer(k.log, `${at}-0`, `${at}-0`);
    const [state, entries] = (await allOf(asked)) as [
      [string | null, string | null],
      [Buffer, Buffer[]][] | undefined,
    ];
    const [status, seq] = state;
    const frame = entries?.[0]?.[1][1];
    return status && seq
      ? {
          lastSequence: Number(seq),
          sealed: isTerminalStatus(status as RunStatus),
          ...(frame && { frame }),
        }
      : undefined;
  }

  override async read(runId: string, after: number, limit: number): Promise<LogPage> {
    const page = await readPage(this.redis, this.keys(runId), after, limit);
    if (!page) throw new ConsiliumError('RUN_NOT_FOUND', `There is no run ${runId}`);
    const { lastSequence, sealed, missing, before } = page;
    let { frames } = page;
    if (missing) frames = (await this.archive?.read(runId, { after, limit, lastSequence })) ?? [];
    if (missing && frames.length === 0)
      throw new ConsiliumError('RUN_EXPIRED', 'The log of this run is no longer kept');
    return { frames, lastSequence, sealed, ...(before && { before }) };
  }
}

const eventOf = (frame: string): RunEvent => JSON.parse(frameData(frame)) as RunEvent;
