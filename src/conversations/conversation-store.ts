import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { TurnAnswer } from '../formats/shared/answer-of.js';
import { Clock } from '../lib/clock.js';
import { DAY_SECONDS } from '../lib/day.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError } from '../domain/errors.js';
import { allOf } from '../redis/all-of.js';
import { REDIS } from '../redis/redis-token.js';
import { callerKeys, conversationKey } from '../redis/keys.js';
import type { Conversation, ConversationName, Exchange } from './conversation.js';

/**
 * Adds an exchange, once, and the conversation if there is none. A new one comes after all others,
 * even if clocks differ; one that is late stays behind what has come since. KEYS: conversation.
 * ARGV: owner, title, ms, seconds to live, context id, exchange, parent or '', '1' for a late one.
 * @returns 'OK', or 'OTHER' (it belongs to another caller), or 'GONE' (there is no such parent)
 */
const ADD = `
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[1] then return 'OTHER' end
if redis.call('HEXISTS', KEYS[1], 'x:' .. ARGV[5]) == 1 then return 'OK' end
if ARGV[7] ~= '' and redis.call('HEXISTS', KEYS[1], 'x:' .. ARGV[7]) == 0 then return 'GONE' end
if not owner then redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'title', ARGV[2], 'created', ARGV[3])
elseif redis.call('HGET', KEYS[1], 'title') == '' then redis.call('HSET', KEYS[1], 'title', ARGV[2]) end
local last = tonumber(redis.call('HGET', KEYS[1], 'updated') or '0')
local at = tonumber(ARGV[3])
if ARGV[8] ~= '1' then
  -- Logs have this time, too: a clock of the caller that is off by a few ms would put a turn before one that was cut off.
  local t = redis.call('TIME')
  at = math.max(at, t[1] * 1000 + math.floor(t[2] / 1000), last + 1)
end
local ms = string.format('%.0f', at)
redis.call('HSET', KEYS[1], 'x:' .. ARGV[5], '{"at":' .. ms .. ',' .. string.sub(ARGV[6], 2))
if at > last then redis.call('HSET', KEYS[1], 'updated', ms, 'head', ARGV[5]) end
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 'OK'`;

/**
 * All but the answers, which may be large. KEYS: conversation.
 * @returns fields, their values, and the exchanges that have an answer
 */
const READ = `
local fields, answered = {}, {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, 2) == 'a:' then answered[#answered + 1] = string.sub(field, 3) else fields[#fields + 1] = field end
end
if #fields == 0 then return { fields, fields, answered } end
return { fields, redis.call('HMGET', KEYS[1], unpack(fields)), answered }`;

/**
 * Makes an exchange the head. KEYS: conversation. ARGV: owner, context id.
 * @returns 1, or 0 if there is none
 */
const MOVE = `
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
if redis.call('HEXISTS', KEYS[1], 'x:' .. ARGV[2]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'head', ARGV[2])
return 1`;

/**
 * Creates a conversation without exchanges. KEYS: conversation. ARGV: owner, title, ms, seconds to
 * live.
 * @returns 1, or 0 if there is one
 */
const CREATE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'title', ARGV[2], 'created', ARGV[3], 'updated', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1`;

/** KEYS: conversation. ARGV: owner, title. @returns 1, or 0 if this owner has none */
const RENAME = `
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'title', ARGV[2])
return 1`;

/**
 * KEYS: conversation. ARGV: owner, `updated` as it was read.
 * @returns 1, or 0 if this owner has none, or 2 if it has changed
 */
const REMOVE = `
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'updated') ~= ARGV[2] then return 2 end
return redis.call('UNLINK', KEYS[1])`;

/** An exchange and its position in a conversation. */
export interface NewExchange {
  title: string;
  contextId: string;
  exchange: Omit<Exchange, 'at'>;
}

/** Conversations in Redis: one hash each, and a list of them for each caller. */
@Injectable()
export class ConversationStore {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Undefined if the caller has none. */
  async get(id: string, owner: string): Promise<Conversation | undefined> {
    const [names, values, answered] = (await this.redis.eval(READ, 1, this.key(id, owner))) as [
      string[],
      string[],
      string[],
    ];
    const fields = Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
    if (fields['owner'] !== owner) return undefined;
    const exchanges = Object.entries(fields).flatMap(([field, value]): [string, Exchange][] =>
      field.startsWith('x:') ? [[field.slice(2), JSON.parse(value) as Exchange]] : [],
    );
    return {
      id,
      owner,
      title: fields['title'] ?? '',
      createdAt: Number(fields['created']),
      updatedAt: Number(fields['updated']),
      head: fields['head'] ?? null,
      exchanges: new Map(
        exchanges.toSorted(([a, { at: x }], [b, { at: y }]) => x - y || (a < b ? -1 : 1)),
      ),
      answered: new Set(answered),
    };
  }

  /** Whether a conversation belongs to another caller. */
  async isTaken(id: string, owner: string): Promise<boolean> {
    const known = await this.redis.hget(this.key(id, owner), 'owner');
    return known !== null && known !== owner;
  }

  /**
   * Adds an exchange as the new head. Harmless when repeated.
   * @param entry the exchange; `title` is used if the conversation has no title yet
   * @param lateSince ms: the exchange is inserted where it would have been at that time, before
   *   later ones
   * @returns false if the conversation belongs to another caller, or no longer has the parent
   */
  async add(
    id: string,
    owner: string,
    { title, contextId, exchange }: NewExchange,
    lateSince?: number,
  ): Promise<boolean> {
    const lives = this.config.conversationDays * DAY_SECONDS;
    const now = this.clock.now();
    const late = lateSince === undefined ? '0' : '1';
    const args = [
      owner,
      title,
      lateSince ?? now,
      lives,
      contextId,
      JSON.stringify(exchange),
      exchange.parent ?? '',
      late,
    ];
    if ((await this.redis.eval(ADD, 1, this.key(id, owner), ...args)) !== 'OK') return false;
    await this.addToList(owner, id, lateSince ?? now);
    return true;
  }

  /**
   * Checks the limit before a conversation is created. Concurrent requests may exceed it slightly.
   * @throws ConsiliumError RATE_LIMITED if the principal has the maximum number
   */
  async checkRoom(owner: string): Promise<void> {
    const { auth, maxConversations: most, conversationDays } = this.config;
    if (auth === 'none' || most === 0) return;
    const since = this.clock.now() - conversationDays * DAY_SECONDS * 1_000;
    const usage = await this.redis.zcount(this.listKey(owner), since, '+inf');
    if (usage >= most) throw tooMany(most, usage);
  }

  /** Creates a conversation without exchanges. @returns false if there is one with this id */
  async create(id: string, owner: string, title: string): Promise<boolean> {
    const lives = this.config.conversationDays * DAY_SECONDS;
    const now = this.clock.now();
    const created = await this.redis.eval(CREATE, 1, this.key(id, owner), owner, title, now, lives);
    if (created === 1) await this.addToList(owner, id, now);
    return created === 1;
  }

  /** @returns false if this owner has none */
  async rename(id: string, owner: string, title: string): Promise<boolean> {
    return (await this.redis.eval(RENAME, 1, this.key(id, owner), owner, title)) === 1;
  }

  /**
   * Removes a conversation, and its entry in the list, unless an exchange was added since it was
   * read.
   * @param updatedAt of the conversation as it was read; 0 if there was none
   */
  async remove(
    id: string,
    owner: string,
    updatedAt: number,
  ): Promise<'removed' | 'missing' | 'changed'> {
    const removed = await this.redis.eval(REMOVE, 1, this.key(id, owner), owner, updatedAt);
    if (removed === 2) return 'changed';
    await this.redis.zrem(this.listKey(owner), id);
    return removed === 1 ? 'removed' : 'missing';
  }

  private async addToList(owner: string, id: string, at: number): Promise<void> {
    const lives = this.config.conversationDays * DAY_SECONDS;
    const list = this.listKey(owner);
    const listed = this.redis
      .multi()
      .zadd(list, 'GT', at, id)
      .zremrangebyscore(list, '-inf', this.clock.now() - lives * 1_000)
      .expire(list, lives);
    await allOf(listed);
  }

  /** Continues from an earlier exchange. @returns false if there is none */
  async move(id: string, owner: string, contextId: string): Promise<boolean> {
    return (await this.redis.eval(MOVE, 1, this.key(id, owner), owner, contextId)) === 1;
  }

  /** Ids of a caller's conversations, newest first. */
  async list(owner: string, offset: number, limit: number): Promise<string[]> {
    return this.redis.zrevrange(this.listKey(owner), offset, offset + limit - 1);
  }

  /** Answers of ended turns, as they were folded before: they outlive their logs. */
  async answers(
    { id, owner }: ConversationName,
    contextIds: readonly string[],
  ): Promise<Map<string, TurnAnswer>> {
    if (contextIds.length === 0) return new Map();
    const found = await this.redis.hmget(
      this.key(id, owner),
      ...contextIds.map((contextId) => `a:${contextId}`),
    );
    return new Map(
      contextIds.flatMap((contextId, i): [string, TurnAnswer][] => {
        const text = found[i];
        return text ? [[contextId, JSON.parse(text) as TurnAnswer]] : [];
      }),
    );
  }

  async keep(
    { id, owner }: ConversationName,
    contextId: string,
    answer: TurnAnswer,
  ): Promise<void> {
    // Stored only if the conversation still exists: a hash without an owner would never expire.
    const script = `if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end`;
    await this.redis.eval(script, 1, this.key(id, owner), `a:${contextId}`, JSON.stringify(answer));
  }

  private key(id: string, owner: string): string {
    return conversationKey(this.config.redisPrefix, id, owner);
  }

  private listKey(owner: string): string {
    return callerKeys(this.config.redisPrefix, owner).conversations;
  }
}

const tooMany = (limit: number, usage: number): ConsiliumError =>
  new ConsiliumError('RATE_LIMITED', `You may have ${limit} conversations; delete one first`, {
    retryAfterSeconds: DAY_SECONDS,
    details: { limit, usage },
    limit: 'conversations',
  });
