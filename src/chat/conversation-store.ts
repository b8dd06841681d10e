import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { TurnAnswer } from '../domain/chat/answer-of.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { REDIS } from '../redis/redis-token.js';
import type { Conversation, Exchange } from './conversation.js';

const DAY_SECONDS = 24 * 60 * 60;

/**
 * Adds an exchange, once, and the conversation where there is none. KEYS: conversation. ARGV: owner, title, ms, seconds to live,
 * context id, exchange, parent or ''. @returns 'OK', or 'OTHER' (it is somebody else's), or 'GONE' (there is no such parent)
 */
const ADD = `
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[1] then return 'OTHER' end
if redis.call('HEXISTS', KEYS[1], 'x:' .. ARGV[5]) == 1 then return 'OK' end
if ARGV[7] ~= '' and redis.call('HEXISTS', KEYS[1], 'x:' .. ARGV[7]) == 0 then return 'GONE' end
if not owner then redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'title', ARGV[2], 'created', ARGV[3]) end
redis.call('HSET', KEYS[1], 'updated', ARGV[3], 'head', ARGV[5], 'x:' .. ARGV[5], ARGV[6])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 'OK'`;

/** Makes an exchange the head. KEYS: conversation. ARGV: owner, context id. @returns 1, or 0 where there is none */
const MOVE = `
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
if redis.call('HEXISTS', KEYS[1], 'x:' .. ARGV[2]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'head', ARGV[2])
return 1`;

/** Conversations in Redis: one hash each, and a list of them for each caller. */
@Injectable()
export class ConversationStore {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Undefined where there is none of this caller's. */
  async get(id: string, owner: string): Promise<Conversation | undefined> {
    const fields = await this.redis.hgetall(this.key(id));
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
      exchanges: new Map(exchanges.toSorted(([a, { at: x }], [b, { at: y }]) => x - y || (a < b ? -1 : 1))),
    };
  }

  /** Whether a conversation is somebody else's. */
  async isTaken(id: string, owner: string): Promise<boolean> {
    const known = await this.redis.hget(this.key(id), 'owner');
    return known !== null && known !== owner;
  }

  /** Adds an exchange as the new head. Harmless when repeated. @returns false where the conversation is another's, or has lost the parent */
  async add(id: string, owner: string, title: string, contextId: string, exchange: Exchange): Promise<boolean> {
    const lives = this.config.conversationDays * DAY_SECONDS;
    const args = [owner, title, exchange.at, lives, contextId, JSON.stringify(exchange), exchange.parent ?? ''];
    if ((await this.redis.eval(ADD, 1, this.key(id), ...args)) !== 'OK') return false;
    const list = this.listKey(owner);
    await this.redis
      .multi()
      .zadd(list, exchange.at, id)
      .zremrangebyscore(list, '-inf', exchange.at - lives * 1_000)
      .expire(list, lives)
      .exec();
    return true;
  }

  /** Goes on from an earlier exchange. @returns false where there is none */
  async move(id: string, owner: string, contextId: string): Promise<boolean> {
    return (await this.redis.eval(MOVE, 1, this.key(id), owner, contextId)) === 1;
  }

  /** Ids of a caller's conversations, newest first. */
  async list(owner: string, offset: number, limit: number): Promise<string[]> {
    return this.redis.zrevrange(this.listKey(owner), offset, offset + limit - 1);
  }

  /** Answers of ended turns, as they were folded before: they outlive their logs. */
  async answers(id: string, contextIds: readonly string[]): Promise<Map<string, TurnAnswer>> {
    if (contextIds.length === 0) return new Map();
    const found = await this.redis.hmget(this.key(id), ...contextIds.map((contextId) => `a:${contextId}`));
    return new Map(
      contextIds.flatMap((contextId, i): [string, TurnAnswer][] => {
        const text = found[i];
        return text ? [[contextId, JSON.parse(text) as TurnAnswer]] : [];
      }),
    );
  }

  async keep(id: string, contextId: string, answer: TurnAnswer): Promise<void> {
    // Only into a conversation that is still there: a hash without an owner would never expire.
    const script = `if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end`;
    await this.redis.eval(script, 1, this.key(id), `a:${contextId}`, JSON.stringify(answer));
  }

  private key(id: string): string {
    return `${this.config.redisPrefix}:{conversation:${id}}`;
  }

  private listKey(owner: string): string {
    return `${this.config.redisPrefix}:{caller:${owner}}:conversations`;
  }
}
