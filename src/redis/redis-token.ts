/**
 * Injection token of the process's ioredis connection for commands. Subscribers and BullMQ have
 * their own connections.
 */
export const REDIS = Symbol('REDIS');
