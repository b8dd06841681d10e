import { createHash } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { DAY_SECONDS } from '../lib/day.js';
import { promptsSchema, type Prompts } from '../domain/prompt/prompts.js';
import { ruleFile } from '../domain/notifications/rule.js';
import { subscriberFile, type Subscriber } from '../domain/notifications/subscriber.js';
import { ruleSnapshotKey } from '../redis/keys.js';
import { RuleSet } from './rule-set.js';

/** Longer than any run. */
const KEPT_SECONDS = 7 * DAY_SECONDS;
/** ms between renewals of the expiry. */
const AGAIN_MS = 60 * 60 * 1_000;
/** Cached snapshots of other processes. */
const REMEMBERED = 16;

const pinned = z.object({
  subscribers: z.array(subscriberFile),
  rules: z.array(ruleFile),
  prompts: promptsSchema.optional(),
});

/** The kinds of files that operators may replace. */
export interface Files {
  subscribers: readonly Subscriber[];
  rules: RuleSet;
  prompts: Prompts;
}

/**
 * Stores the subscribers, rules and prompts that a run started with, so that a process with other
 * files continues with the same ones. Runs refer to them by digest; equal files are stored once.
 */
export class FileSnapshots {
  private readonly logger = new Logger(FileSnapshots.name);
  private readonly text: string;
  private readonly digest: string;
  private readonly others = new Map<string, Files>();
  private saidAt = -Infinity;

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly own: Files,
  ) {
    const { subscribers, rules, prompts } = own;
    this.text = JSON.stringify({ subscribers, rules: rules.active, prompts });
    this.digest = createHash('sha256').update(this.text).digest('hex').slice(0, 32);
  }

  /** Stores the files of this process. @returns their digest */
  async pin(): Promise<string> {
    if (Date.now() - this.saidAt >= AGAIN_MS) {
      await this.redis.set(this.key(this.digest), this.text, 'EX', KEPT_SECONDS);
      this.saidAt = Date.now();
    }
    return this.digest;
  }

  /**
   * The files that a run started with, or those of this process if the run names none or they are
   * missing.
   */
  of(digest: string | undefined): Files | Promise<Files> {
    if (digest === undefined || digest === this.digest) return this.own;
    return this.others.get(digest) ?? this.read(digest);
  }

  private async read(digest: string): Promise<Files> {
    const text = await this.redis.get(this.key(digest));
    const files = this.filesIn(text);
    if (!files)
      this.logger.warn({
        msg: 'the rules and prompts that a run started with are missing: it continues with those of this process',
        digest,
      });
    for (const oldest of [...this.others.keys()].slice(
      0,
      Math.max(0, this.others.size - REMEMBERED + 1),
    ))
      this.others.delete(oldest);
    this.others.set(digest, files ?? this.own);
    return files ?? this.own;
  }

  /** Returns undefined if another version of the service wrote something unknown. */
  private filesIn(text: string | null): Files | undefined {
    try {
      const { subscribers, rules, prompts } = pinned.parse(JSON.parse(text ?? 'null'));
      return { subscribers, rules: new RuleSet(rules), prompts: prompts ?? this.own.prompts };
    } catch {
      return undefined;
    }
  }

  private key(digest: string): string {
    return ruleSnapshotKey(this.prefix, digest);
  }
}
