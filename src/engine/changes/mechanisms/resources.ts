import { some, type DiffView } from '../read-diff.js';
import type { Mechanism } from './mechanism.js';

const BOUNDED = /lru|evict|max\w*size|capacity|bounded|ttl|expire|limit/i;
const PRUNES = /evict|lru|prune|trim|clear|delete\(|max(imum)?_?size|\.expire/i;
const GROWS =
  /append\(|\.push\(|\.add\(|\.put\(|\.set\(|\[[^\]]+\]\s*=[^=]|\.Store\(|\.setdefault\(/;
/** Variables of the whole process that hold collections. */
const GLOBALS = [
  /^(?:(?:private|protected|public|internal|final|readonly) ){0,3}static (?:(?:final|readonly) )?[\w.]+<[^=]{1,200}> (\w+) =/,
  /^(?:var|let|const|static|private static|public static|global)\s+(\w+)\b.*(?:\[\]|map|Map|dict|list|List|\{\}|\[|Set|HashMap|ArrayList|sync\.Map)/,
  /^(\w+)\s*(?::\s*\w+(?:\[[^\]]*\])?\s*)?=\s*(?:\{\}|\[\]|dict\(|list\(|defaultdict\()/,
];
const OWN_COLLECTION =
  /\b(this|self|s|c|m|h|r)\.\w*(cache|history|log|buffer|pending|seen|entries|records|sessions|listeners|handlers|subs)\w*/i;
const RELEASES =
  /\.(\w*[Cc]lose|\w*[Rr]elease|[Uu]nlock|[Ss]top|[Rr]ollback|[Cc]ancel|[Dd]ispose|shutdown|free|Done|end|disconnect|putconn)\w*\(|cancel\(\)|with /;
const CLEANS =
  /\b(defer|finally|with|using)\b.*|\.(Close|close|Release|release|Unlock|unlock|Stop|stop|Rollback|rollback|Cancel|cancel|dispose|Dispose|shutdown|free|Done|end|disconnect|return_conn|putconn)\s*\(/;
const STARTS =
  /\bgo func|go \w+\(|Thread\(|setInterval\(|NewTicker|create_task\(|addEventListener|\.on\(|subscribe\(/;
const STOPS = /defer \w+\.Stop|clearInterval|ctx\.Done|removeListener|unsubscribe|\.join\(/;
const STARTED = /go |Thread|Interval|Ticker|task|Listener|\.on\(|subscribe/;

const calledOn = (line: string): string | undefined => /\.(\w+)\(/.exec(line)?.[1];

/** Resources that are acquired and not released: memory, connections, threads. */
export function resources(view: DiffView): Mechanism[] {
  return [...growth(view), ...releases(view), ...reuse(view)];
}

function growth({ removed, added, context }: DiffView): Mechanism[] {
  const found: Mechanism[] = [];
  const globals = [...added, ...context].flatMap((line) => {
    const name = GLOBALS.map((pattern) => pattern.exec(line)?.[1]).find(
      (each) => each !== undefined,
    );
    return name === undefined ? [] : [name];
  });
  const grows = added.filter((line) => GROWS.test(line));
  const mentions = (line: string, name: string) => line.split(/\W+/).includes(name);
  const lasting =
    globals.some((name) => grows.some((line) => mentions(line, name))) ||
    some(grows, OWN_COLLECTION);
  if (lasting && !BOUNDED.test(added.join(' ')))
    found.push({ kind: 'unbounded-growth', about: [...grows, ...globals].join(' ') });
  if (some(removed, BOUNDED) && some(removed, PRUNES) && !some(added, PRUNES))
    found.push({ kind: 'unbounded-growth', about: removed.join(' ') });
  return found;
}

function releases({ removed, added, files }: DiffView): Mechanism[] {
  const found: Mechanism[] = [];
  const gone = removed.filter((line) => CLEANS.test(line) && RELEASES.test(line));
  const kept = added.some((line) =>
    gone.some((old) => (calledOn(old) ?? '') === (calledOn(line) ?? '_')),
  );
  if (gone.length > 0 && !kept)
    found.push({ kind: 'release-removed', about: [...gone, ...files].join(' ') });
  if (some(added, STARTS) && !some(added, STOPS))
    found.push({ kind: 'leak-added', about: added.filter((line) => STARTED.test(line)).join(' ') });
  return found;
}

/**
 * Settings that keep connections for the next request: of HTTP clients in Go, Node.js, Python, Java
 * and of nginx.
 */
const REUSES = /MaxIdleConns|keep-?_?alive|HTTPAdapter|pool_connections/i;
const OPENS_EACH =
  /DisableKeepAlives\W{1,9}true|keep-?_?alive\w*\W{1,9}(false|off|0)\b|\bconnection\W{1,9}close\b/i;

/**
 * Constructors of a client, a transport, a session or a pool: it keeps connections, and is created
 * once.
 */
const MAKES =
  /&?http\.(Client|Transport)\{|\bnew (HttpClient|OkHttpClient|RestTemplate|RestClient|WebClient|MongoClient|PrismaClient|Redis|Pool|KafkaProducer|S3Client|DynamoDbClient|HikariDataSource)\b|\b(HttpClient\.(newHttpClient|newBuilder)|createPool|createClient|redis\.(NewClient|Redis)|sql\.Open|pgxpool\.New|MongoClient|boto3\.(client|resource|Session)|requests\.Session|httpx\.(Async)?Client|aiohttp\.ClientSession|psycopg2?\.connect|create_engine|grpc\.(Dial|NewClient)|ManagedChannelBuilder\.for\w+)\(/;
/** An existing client: a field, or one that is shared. */
const SHARED_CLIENT =
  /\b(this|self|s|c|r|h|app|a)\.\w+|\b\w*([Cc]lient|[Pp]ool|[Ss]ession|[Cc]onn\w*|[Ee]ngine|http|db)\b/;
/** Created once: a variable of the program, a bean, a constructor. */
const MADE_ONCE =
  /^(var|export|static|private|public|@|[A-Z_]{3,} ?=)|\b(this|self|s|c)\.\w+ ?= |singleton|Once\b/;

/** Each request opens its own connection. */
function reuse({ removed, added }: DiffView): Mechanism[] {
  const opens = added.filter((line) => OPENS_EACH.test(line));
  const made = added.filter((line) => MAKES.test(line) && !MADE_ONCE.test(line));
  const replaces =
    made.length > 0 && !some(removed, MAKES) && some(removed, SHARED_CLIENT) ? made : [];
  const gone = some(added, REUSES) ? [] : removed.filter((line) => REUSES.test(line));
  const about = [...opens, ...replaces, ...gone].join(' ');
  return about === '' ? [] : [{ kind: 'connection-reuse-removed', about }];
}
