/**
 * `order_id=708812`, `"messageId": "a1-b2"`, `offset 4711`: identifies one message, record or job.
 * Not the process that handles it.
 */
const ID =
  /\b(?!(?:process|thread|worker|pod|host|instance|node|client|consumer|group|tenant|connection|channel|session|trace|span|error|queue|topic|partition|shard|broker|build|version)[_-]?id)(?:[a-z]+[_-]?)?(?:id|uuid|offset)"?(?:\s?[=:]\s?| )"?[\w-]{0,40}\d[\w-]{0,40}/gi;
/** Redelivered messages: of RabbitMQ, SQS, Kafka, Pub/Sub and job queues. */
const COMES_BACK =
  /redeliver|re-?queue|nack|receive[_ ]?count|delivery[_ ]?attempt|\bretr(y|ying|ied)\b|\boffset\b/i;
const LOOKED_AT = 2_000;
const MOST_IDS = 8;
const OFTEN = 10;

/** The identification of the message in a line about a redelivered one. */
export function messageIdsIn(body: string): string[] {
  const looked = body.slice(0, LOOKED_AT);
  return COMES_BACK.test(looked) ? [...(looked.match(ID) ?? [])].slice(0, MOST_IDS) : [];
}

/**
 * Whether one and the same message fails repeatedly: it is faulty, if nothing else is reported to
 * fail.
 */
export const isSameMessage = ({ count, ids = [] }: { count: number; ids?: string[] }): boolean =>
  count >= OFTEN && ids.length > 0;
