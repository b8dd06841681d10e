export default async function stopRedis() {
  await globalThis.privateRedisOfTests?.stop();
}
