/**
 * `order_id=708812`, `"messageId": "a1-b2"`, `offset 4711`: what names one message, record or job.
 * Not which process handles it.
 */
const ID =
  /\b(?!(?:process|thread|worker|pod|host|instance|node|client|consumer|group|tenant|connection|channel|session|trace|span|error|queue|topic|partition|shard|broker|build|version)[_-]?id)(?:[a-z]+[_-]?)?(?:id|uuid|offset)"?(?:\s?[=:]\s?| )"?[\w-]{0,40}\d[\w-]{0,40}/gi;
/** Messages that come back: of RabbitMQ, SQS, Kafka, Pub/Sub and job queues. */
const COMES_BACK =
  /redeliver|re-?queue|nack|receive[_ ]?count|delivery[_ ]?attempt|\bretr(y|ying|ied)\b|\boffset\b/i;
const LOOKED_AT = 2_000;
const MOST_IDS = 8;
const OFTEN = 10;

/** What names the message in a line, if the line tells of one that comes back. */
export function messageIdsIn(body: string): string[] {
  const looked = body.slice(0, LOOKED_AT);
  return COMES_BACK.test(looked) ? [...(looked.match(ID) ?? [])].slice(0, MOST_IDS) : [];
}

/**
 * Whether one and the same message fails again and again: it is bad, as far as nothing else is said
 * to fail.
 */
export const isSameMessage = ({ count, ids = [] }: { count: number; ids?: string[] }): boolean =>
  count >= OFTEN && ids.length > 0;
