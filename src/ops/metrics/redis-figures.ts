import { TLSSocket } from 'node:tls';
import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { backupKey } from '../../redis/keys.js';
import { REDIS } from '../../redis/redis-token.js';
import { Instruments } from '../telemetry/instruments.js';

/** Figures of the store itself: its memory, its certificate and its last backup. */
@Injectable()
export class RedisFigures {
  constructor(
    private readonly instruments: Instruments,
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  reset(): void {
    const { redisMemory, backupAt, redisCertificateExpiry } = this.instruments;
    redisMemory.reset();
    for (const gauge of [backupAt, redisCertificateExpiry]) gauge.remove();
  }

  /** @throws the error of Redis */
  async read(): Promise<void> {
    const [info, backup] = await Promise.all([
      // Some managed services do not show it.
      this.redis.info('memory').catch(() => ''),
      this.redis.get(backupKey(this.config.redisPrefix)),
    ]);
    for (const [of, field] of [
      ['used', 'used_memory'],
      ['allowed', 'maxmemory'],
    ] as const) {
      const bytes = new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1];
      if (bytes !== undefined) this.instruments.redisMemory.set({ of }, Number(bytes));
    }
    const backupAt = Number(backup ?? '');
    if (backupAt > 0) this.instruments.backupAt.set(backupAt);
    const expiry = expiryOf(this.redis.stream);
    if (expiry !== undefined) this.instruments.redisCertificateExpiry.set(expiry);
  }
}

/**
 * When the certificate of the peer of a connection expires, in seconds since 1970; undefined
 * without TLS.
 */
function expiryOf(stream: unknown): number | undefined {
  if (!(stream instanceof TLSSocket)) return undefined;
  const { valid_to: text } = stream.getPeerCertificate() as { valid_to?: string };
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at / 1_000;
}
