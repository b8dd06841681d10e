import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Request, Response } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { memoryHashes } from '../../../test/support/memory/memory-hashes.js';
import { FailedLogins } from '../limits/failed-logins.js';
import { ApiKeys } from './api-keys.js';
import { Authenticator } from './authenticator.js';
import { OpenStreams } from './open-streams.js';
import { Sessions } from './sessions.js';
import { StreamTickets } from './stream-tickets.js';

/** The longest that streams of a revoked credential stay open: docs/security.md. */
const PROMISED_MS = 15_000;
const MOST_FAILURES = 10;
const DAY_MS = 86_400_000;

const config = { auth: 'keys', redisPrefix: 'test' } as ConstructorParameters<
  typeof Authenticator
>[0];

class ResponseInMemory extends EventEmitter {
  readonly headersSent = true;
  ended = false;

  end(): void {
    this.ended = true;
    this.emit('close');
  }
}

const clock = { now: () => Date.now() };
let keys: ApiKeys;
let authenticator: Authenticator;
let streams: OpenStreams;

beforeEach(() => {
  jest.useFakeTimers();
  const redis = memoryHashes();
  keys = new ApiKeys(redis, config, clock);
  const logins = new FailedLogins(
    ({ points, seconds }) => new RateLimiterMemory({ points, duration: seconds }),
    MOST_FAILURES,
  );
  const sessions = new Sessions(redis, config, keys, clock);
  const tickets = new StreamTickets(redis, config, keys, sessions, clock);
  authenticator = new Authenticator(config, keys, sessions, tickets, logins);
  streams = new OpenStreams(authenticator);
});
afterEach(() => {
  streams.onApplicationShutdown();
  jest.useRealTimers();
});

const requestWith = (key: string): Request =>
  ({ headers: { 'x-api-key': key }, socket: { remoteAddress: '192.0.2.1' } }) as unknown as Request;

const keyOf = (name: string) => keys.create({ tenant: 'default', name, role: 'viewer' });

async function open(key: string): Promise<ResponseInMemory> {
  const request = requestWith(key);
  await authenticator.principalOf(request);
  const response = new ResponseInMemory();
  streams.watch(request, response as unknown as Response);
  return response;
}

const openMany = (key: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => open(key)));

it('ends every stream of a revoked key, and admits a new key of its address', async () => {
  const leaver = await keyOf('leaver');
  const stays = await open((await keyOf('stays')).key);
  const opened = await openMany(leaver.key, 120);
  await keys.revoke(leaver.id);
  await jest.advanceTimersByTimeAsync(PROMISED_MS);
  expect(opened.filter(({ ended }) => !ended)).toHaveLength(0);
  expect(stays.ended).toBe(false);
  const { key } = await keyOf('new');
  expect(await authenticator.principalOf(requestWith(key))).toMatchObject({ name: 'new' });
});

it('ends streams of a key that has expired', async () => {
  const { key } = await keys.create({ tenant: 'default', name: 'guest', role: 'viewer', days: 1 });
  const opened = await openMany(key, 3);
  await jest.advanceTimersByTimeAsync(PROMISED_MS);
  expect(opened.some(({ ended }) => ended)).toBe(false);
  jest.setSystemTime(Date.now() + DAY_MS);
  await jest.advanceTimersByTimeAsync(PROMISED_MS);
  expect(opened.every(({ ended }) => ended)).toBe(true);
});

it('ends streams of a revoked key of an address with too many failed logins', async () => {
  const leaver = await keyOf('leaver');
  const stream = await open(leaver.key);
  for (let i = 0; i < MOST_FAILURES; i++)
    await expect(authenticator.principalOf(requestWith(`guess ${i}`))).rejects.toThrow('not valid');
  await keys.revoke(leaver.id);
  await jest.advanceTimersByTimeAsync(PROMISED_MS);
  expect(stream.ended).toBe(true);
});
