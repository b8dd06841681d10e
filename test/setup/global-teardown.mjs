export default async function tearDown() {
  await globalThis.privateRedisOfTests?.stop();
}
