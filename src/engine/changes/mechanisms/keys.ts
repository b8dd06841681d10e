import { some, stringsIn, type DiffView } from '../read-diff.js';
import type { Mechanism } from './mechanism.js';

const KEYED = /\bkey\w*\s*:?=|\.Key\s*=|\w*Key\s*[:=(]|key=|partition|hash|shard/i;
const SHARED = /cache|partition|shard|kafka|produc|publish|consum|msg|message|topic|hash|key/i;

/** Values that differ between instances, requests or moments. */
const OWN_VALUE =
  /\bHOSTNAME\b|\bPOD_(?:NAME|IP|UID)\b|\bINSTANCE_?ID\b|gethostname|getHostName|os\.hostname|\bMachineName\b|\bgetpid\b|process\.pid|uuid|randomBytes|nanoid|Date\.now\(|time\.Now\(|time\.time\(|currentTimeMillis|(?:request|trace|session)_?id\b/i;
const OF_CACHE = /cache|memo|redis|memcache|\bkey|prefix/i;

/** A call that sends a message: to Kafka, Pulsar, Kinesis, NATS, RabbitMQ. */
const SENDS =
  /(?:\bnew )?\b(?:\w*ProducerRecord|(?:\w+\.)*(?:send|publish|produce|emit|put_?record|basic_?publish)\w*)(?:<[^>]{0,60}>)?\s*\((.*)\)/i;

/** Keys that determine the place of a cache entry, and the partition of a message. */
export function keys(view: DiffView, found: readonly Mechanism[]): Mechanism[] {
  const { removed, added, changed, files } = view;
  if (found.some(({ kind }) => kind === 'key-changed')) return [];
  const about = [...changed, ...files].join(' ');
  const isKeyed = some(removed, KEYED) && some(added, KEYED) && SHARED.test(about);
  const isOwn =
    OF_CACHE.test(about) && added.some((line) => OWN_VALUE.test(line)) && !some(removed, OWN_VALUE);
  return isKeyed || isOwn || sendsElsewhere(view)
    ? [{ kind: 'key-changed', about, literals: stringsIn(changed) }]
    : [];
}

/** A message is sent with another argument between its topic and its content: its key. */
function sendsElsewhere({ removed, added }: DiffView): boolean {
  const argumentsIn = (line: string) =>
    SENDS.exec(line)?.[1]
      ?.split(',')
      .map((each) => each.trim()) ?? [];
  return removed.some((line, i) => {
    const [before, after] = [argumentsIn(line), argumentsIn(added[i] ?? '')];
    const changed = before.flatMap((each, at) => (each === after[at] ? [] : [at]));
    const [only = 0] = changed;
    return (
      before.length === after.length && changed.length === 1 && only > 0 && only < before.length - 1
    );
  });
}
