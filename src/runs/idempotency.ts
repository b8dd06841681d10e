import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { DAY_SECONDS } from '../lib/day.js';
import { ConsiliumError } from '../domain/errors.js';
import { REDIS } from '../redis/redis-token.js';
import { idempotencyKey } from '../redis/keys.js';

/** Form of a key: visible ASCII, as in a string of RFC 8941. */
const FORM = /^[\x21-\x7e]{1,255}$/;

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

/** Stores the run of an `Idempotency-Key`, per caller and path, for 24 h (contract section 3). */
@Injectable()
export class Idempotency {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Returns the run of a key. A new key is stored with `runId`.
   * @param resumes the caller has seen events of that run; if the key is unknown, the run was lost
   * @throws ConsiliumError IDEMPOTENCY_KEY_REUSED if the key was used with another body,
   *   VALIDATION_FAILED if it has another form, RUN_EXPIRED
   */
  async runOf(
    key: string,
    scope: { caller: string; path: string },
    { body, runId, resumes }: { body: unknown; runId: string; resumes: boolean },
  ): Promise<string> {
    if (!FORM.test(key)) {
      const faults = [
        { path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
      ];
      throw new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', { faults });
    }
    const name = idempotencyKey(
      this.config.redisPrefix,
      sha(JSON.stringify([scope.caller, scope.path, key])),
    );
    const mine = `${runId}:${sha(JSON.stringify(body))}`;
    const before = resumes
      ? await this.redis.get(name)
      : await this.redis.set(name, mine, 'EX', DAY_SECONDS, 'NX', 'GET');
    if (resumes && before === null)
      throw new ConsiliumError('RUN_EXPIRED', 'The run of this Idempotency-Key is no longer kept');
    const [known = runId, hash] = (before ?? mine).split(':');
    if (hash !== mine.slice(runId.length + 1))
      throw new ConsiliumError(
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key was used with another body; use a new key',
      );
    return known;
  }
}
