/**
 * What tests use of the service, loaded once for each Jest worker and not once for each test file.
 */
export { Redis } from 'ioredis';
export { ConversationStore } from '../../src/conversations/conversation-store.js';
export { RedisLog } from '../../src/event-log/redis-log.js';
export { BullmqQueue } from '../../src/queues/bullmq-queue.js';
export { startService } from '../../src/service.js';
