type Parts = typeof import('../setup/parts.js');

const { partsOfService } = globalThis as { partsOfService?: Parts };
if (!partsOfService)
  throw new Error(
    'This test needs the built service. Beside a source its name ends in .redis.test.ts.',
  );

/**
 * What a Jest worker has loaded for all of its test files: the built service, and clients of Redis.
 */
export const { BullmqQueue, ConversationStore, Redis, RedisLog, startService } = partsOfService;
