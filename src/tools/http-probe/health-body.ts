import { isJsonObject, textOf, type Json, type JsonObject } from '../../lib/json.js';
import type { Severity } from '../../domain/diagnosis/finding.js';
import { closeJson } from './close-json.js';

/** What the body of a health endpoint reports about its service. */
export interface HealthBody {
  severity: Exclude<Severity, 'info'>;
  /** `DOWN: db` */
  text: string;
  /** The names of its failing parts, up to a maximum length: further ones are counted. */
  parts: readonly string[];
  /** The texts of its failing parts. */
  details: string[];
}

export interface HealthReading {
  /** Absent if everything that was read is healthy. */
  failure?: HealthBody;
  /** The body is longer than what was read: the rest may contain a failure. */
  isCut: boolean;
}

const WELL = new Set(['up', 'ok', 'pass', 'healthy']);
/** Words that only state that something does not work. */
const DOWN = ['down', 'out_of_service', 'unavailable', 'unhealthy', 'unreachable', 'disconnected'];
const FAILED = new Set([...DOWN, 'critical', 'fail', 'failed', 'failing', 'failure', 'error']);
const DEGRADED = new Set(['warn', 'warning', 'degraded']);
/** Keys with the parts of a service, in any body. */
const NAMED_PARTS = ['components', 'checks'];
/**
 * Keys that may have them in a body with a health status: Spring Boot Actuator, health+json and
 * .NET, terminus and others.
 */
const PARTS = [...NAMED_PARTS, 'entries', 'details', 'dependencies', 'error', 'results'];
/** Keys for the name of a part in a list. */
const NAMES = ['name', 'key', 'component', 'service', 'id'];
/** Maximum parts that are read, and their maximum nesting. */
const MOST_PARTS = 1_000;
const MOST_DEPTH = 5;
const MOST_DETAILS = 5;

/**
 * Reads a health body that reports an unhealthy service or part though its status may be 200:
 * Spring Boot Actuator (`{"status":"DOWN","components":{…}}`), the health+json draft
 * (draft-inadarei-api-health-check: `pass`, `warn`, `fail`), and `{"ok":false}`,
 * `{"healthy":false}` or `{"success":false}`, and parts beside the status
 * (`{"status":"ok","database":"down"}`). A service that reports itself as healthy, and a part as
 * unhealthy, has a warning.
 * @param isComplete whether this is the whole body; of a part of it, what it contains counts
 */
export function readHealthBody(body: string, isComplete = true): HealthReading {
  const health = parse(body, isComplete);
  // A page for people does not report health, whatever its length.
  if (!health) return { isCut: !isComplete && !body.trimStart().startsWith('<') };
  const reader = new PartReader();
  const parts = reader.failing(health);
  const isCut = !isComplete || reader.isCut;
  const own = severityOf(health);
  if (own === undefined && parts.length === 0) return { isCut };
  const said = typeof health['status'] === 'string' ? health['status'] : undefined;
  const isWell = own === undefined && saysHowItIs(health);
  const named = parts.map(({ name }) => name).slice(0, MOST_DETAILS);
  const left = parts.length - named.length;
  const more = left === 0 ? '' : ` and ${isCut ? 'at least ' : ''}${left} more`;
  const names = `${named.join(', ')}${more}`;
  const word = said ?? (isWell ? 'healthy' : 'not healthy');
  const between = isWell ? ' except for ' : ': ';
  return {
    failure: {
      severity: own ?? 'warning',
      text: names === '' ? word : `${word}${between}${names}`,
      parts: named,
      details: [...(own === undefined ? [] : [wordsOf(health)]), ...parts.map((part) => part.said)]
        .filter((said) => said !== undefined)
        .slice(0, MOST_DETAILS),
    },
    isCut,
  };
}

function parse(body: string, isComplete: boolean): JsonObject | undefined {
  const text = body.trimStart();
  if (!text.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(isComplete ? text : closeJson(text)) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Keys that are true if a service is healthy. */
const VERDICTS = ['ok', 'healthy', 'success'];

const wordOf = ({ status }: JsonObject): string =>
  typeof status === 'string' ? status.toLowerCase() : '';

function severityOf(health: JsonObject): HealthBody['severity'] | undefined {
  const word = wordOf(health);
  if (FAILED.has(word) || VERDICTS.some((key) => health[key] === false)) return 'critical';
  return DEGRADED.has(word) ? 'warning' : undefined;
}

const saysHowItIs = (health: JsonObject): boolean =>
  severityOf(health) !== undefined ||
  WELL.has(wordOf(health)) ||
  VERDICTS.some((key) => health[key] === true);

/** An unhealthy part of a service. */
interface Part {
  name: string;
  /** Its name, and its text. */
  said?: string;
}

/**
 * Finds the parts that report themselves as unhealthy, under any of the keys for parts, within the
 * bounds.
 */
class PartReader {
  /** There are more than were read. */
  isCut = false;
  private read = 0;

  failing(health: JsonObject, depth = 0): Part[] {
    const found = new Map<string, Part>();
    for (const place of saysHowItIs(health) || depth > 0 ? PARTS : NAMED_PARTS)
      for (const [name, part] of partsAt(health, place)) {
        if (this.read >= MOST_PARTS || depth >= MOST_DEPTH) {
          this.isCut = true;
          return [...found.values()];
        }
        this.read += 1;
        // `"db": "DOWN"`; texts beside an error belong to it.
        const isWord = depth === 0 && place !== 'error' && name !== 'status';
        for (const failing of this.failingIn(name, isWord ? asPart(part) : part, depth))
          if (!found.has(failing.name)) found.set(failing.name, failing);
      }
    if (depth === 0 && saysHowItIs(health))
      for (const name of besideStatus(health)) if (!found.has(name)) found.set(name, { name });
    return [...found.values()];
  }

  /** An unhealthy part, otherwise its own unhealthy parts. */
  private failingIn(name: string, part: Json, depth: number): Part[] {
    if (!isJsonObject(part)) return [];
    const below = this.failing(part, depth + 1);
    if (severityOf(part) === undefined)
      return below.map((each) => ({ ...each, name: `${name}.${each.name}` }));
    const words = wordsOf(part);
    const said = words === undefined ? below.find((each) => each.said)?.said : `${name}: ${words}`;
    return [{ name, ...(said !== undefined && { said }) }];
  }
}

/** The parts beside the status of a service that report in one word that they do not work. */
const besideStatus = (health: JsonObject): string[] =>
  Object.keys(health).filter(
    (key) => key !== 'status' && DOWN.includes(textOf(health, key).toLowerCase()),
  );

const asPart = (part: Json): Json => (typeof part === 'string' ? { status: part } : part);

/**
 * The parts under a key: an object has them by name, each one or a list (health+json); a list has
 * their names inside.
 */
function partsAt(health: JsonObject, place: string): [string, Json][] {
  const parts = health[place];
  if (Array.isArray(parts))
    return parts.map((part, i) => [nameOf(part) ?? `${place} ${i + 1}`, part]);
  if (!isJsonObject(parts)) return [];
  return Object.entries(parts).flatMap(([name, part]) =>
    (Array.isArray(part) ? part : [part]).map((each): [string, Json] => [name, each]),
  );
}

const nameOf = (part: Json): string | undefined =>
  isJsonObject(part)
    ? NAMES.map((key) => textOf(part, key)).find((name) => name !== '')
    : undefined;

/** The error of a part, under the names that it has in those formats. */
function wordsOf(part: JsonObject): string | undefined {
  const details = isJsonObject(part['details']) ? part['details'] : {};
  const words = [
    part['output'],
    part['error'],
    part['message'],
    part['exception'],
    part['description'],
    details['error'],
    details['message'],
  ];
  return words.find((each): each is string => typeof each === 'string' && each !== '');
}
