import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { DAY_SECONDS } from '../lib/day.js';
import { ConsiliumError } from '../domain/errors.js';
import {
  handIn,
  nobodyWaits,
  takeOut,
  type CarriedOver,
  type DeliveryState,
  type NextSession,
  type Notice,
} from '../domain/notifications/next-session.js';
import { ANYBODY, isTerminalStatus, type RunSpec } from '../domain/run.js';
import { EventLog, type RunState } from '../event-log/event-log.js';
import { REDIS } from '../redis/redis-token.js';

/** Frames of a log that are read at once. */
const PAGE = 50;

/** KEYS: subject. ARGV: what it was, what it becomes, seconds to live. @returns 1, or 0 where it has become another */
const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1`;

/**
 * What sessions have put off until the next one: of a caller and a topology, for as long as conversations are kept. It is told
 * in the next turn of another conversation about that topology; of what diagnoses put off, whoever asks first hears.
 * docs/decisions/0019-notices-for-later-sessions.md
 */
@Injectable()
export class DeferredNotices {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly log: EventLog,
  ) {}

  /** Harmless when repeated. */
  async handIn(
    { owner, topology }: Pick<RunSpec, 'owner' | 'topology'>,
    notices: readonly Notice[],
  ): Promise<void> {
    await this.change(this.key(owner, topology.id), (state, now) => ({
      state: handIn(state, notices, this.oldest(now)),
      answer: undefined,
    }));
  }

  /** What a turn of a conversation is to tell. Whether it has is read from its log by whoever comes next; repeated, it is the same. */
  async takeOut(
    owner: string,
    topologyId: number,
    session: string,
    runId: string,
  ): Promise<CarriedOver[]> {
    const keys = [owner, ANYBODY].map((whose) => this.key(whose, topologyId));
    const taken = await Promise.all(keys.map((key) => this.takeFrom(key, session, runId)));
    return taken.flatMap((carried) =>
      carried && (carried.notices.length > 0 || carried.leftOut) ? [carried] : [],
    );
  }

  private async takeFrom(
    key: string,
    session: string,
    runId: string,
  ): Promise<CarriedOver | undefined> {
    return this.change(key, async (state, now) => {
      if (state.waiting.length + state.taken.length === 0 && state.leftOut === null)
        return undefined;
      const fates = new Map(
        await Promise.all(
          state.taken.map(async (taken) => [taken.runId, await this.fateOf(taken.runId)] as const),
        ),
      );
      const { state: next, carried } = takeOut(state, {
        runId,
        session,
        fates,
        now,
        oldest: this.oldest(now),
      });
      return { state: next, answer: carried };
    });
  }

  private async fateOf(runId: string): Promise<DeliveryState> {
    const state = await this.log.state(runId);
    if (!state) return 'none';
    if (!isTerminalStatus(state.status)) return 'open';
    return (await this.hasTold(runId, state)) ? 'told' : 'untold';
  }

  /** A turn has told what it took when its model has answered after that was shown. Of a log that is gone only what it came to is known. */
  private async hasTold(runId: string, { status, usage, expired }: RunState): Promise<boolean> {
    const came = status === 'completed' || usage.total_tokens > 0;
    if (expired) return came;
    let shown = false;
    try {
      for (let read = 0; ;) {
        const { frames, lastSequence } = await this.log.read(runId, read, PAGE);
        for (const frame of frames) {
          if (shown && isOfModel(frame)) return true;
          shown ||= showsCarried(frame);
        }
        read += frames.length;
        if (frames.length === 0 || read >= lastSequence) return false;
      }
    } catch (error) {
      if (error instanceof ConsiliumError && error.code === 'RUN_EXPIRED') return came;
      throw error;
    }
  }

  /** Changes what is kept of a subject, as if nobody else did. */
  private async change<Answer>(
    key: string,
    to: (
      state: NextSession,
      now: number,
    ) => Changed<Answer> | undefined | Promise<Changed<Answer> | undefined>,
  ): Promise<Answer | undefined> {
    for (;;) {
      const text = (await this.redis.get(key)) ?? '';
      const changed = await to(
        text === '' ? nobodyWaits() : (JSON.parse(text) as NextSession),
        Date.now(),
      );
      if (!changed) return undefined;
      const next = JSON.stringify(changed.state);
      if (next === text || (await this.redis.eval(REPLACE, 1, key, text, next, this.seconds)) === 1)
        return changed.answer;
    }
  }

  private get seconds(): number {
    return this.config.conversationDays * DAY_SECONDS;
  }

  private oldest(now: number): number {
    return now - this.seconds * 1_000;
  }

  private key(owner: string, topologyId: number): string {
    return `${this.config.redisPrefix}:{caller:${owner}}:next-session:${topologyId}`;
  }
}

interface Changed<Answer> {
  state: NextSession;
  answer: Answer;
}

/** What a model has said or used. */
const isOfModel = (frame: Buffer): boolean => frame.toString('latin1', 0, 11) === 'event: llm.';

/** The warning that shows the person what was carried over; in the same step it is put to the model. Quotes in a text are escaped. */
const showsCarried = (frame: Buffer): boolean =>
  frame.includes('"carried":true') && frame.indexOf('event: system.warning\n') === 0;
