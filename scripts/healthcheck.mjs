// The image's health check: exit code 0 or 1. A process that serves HTTP is asked whether it is ready; a worker serves none,
// and is as good as its Redis, without which it can neither take a job nor write an event (one that has died takes its
// container with it).
import { Redis } from 'ioredis';

const { ROLE, PORT, REDIS_URL } = process.env;

try {
  await (ROLE === 'worker' ? askRedis() : askService());
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}

async function askService() {
  const response = await fetch(`http://127.0.0.1:${PORT || 3000}/health/ready`, { signal: AbortSignal.timeout(4000) });
  if (!response.ok) throw new Error(`not ready: HTTP ${response.status}`);
}

async function askRedis() {
  const redis = new Redis(REDIS_URL, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 3000, commandTimeout: 3000 });
  redis.on('error', () => {});
  try {
    await redis.connect();
    await redis.ping();
  } finally {
    redis.disconnect();
  }
}
