/** Injection token of the process's one ioredis connection for commands. Subscribers and BullMQ have their own. */
export const REDIS = Symbol('REDIS');
