import { isJsonObject, textOf, type Json, type JsonObject } from '../../lib/json.js';
import type { Severity } from '../../domain/diagnosis/finding.js';
import { closeJson } from './close-json.js';

/** What the body of a health endpoint reports about its service. */
export interface HealthBody {
  severity: Exclude<Severity, 'info'>;
  /** `DOWN: db` */
  text: string;
  /** The names of its failing parts, as far as `text` has them: it counts the others. */
  parts: readonly string[];
  /** What its failing parts say. */
  details: string[];
}

export interface HealthReading {
  /** Absent where all that was read is well. */
  failure?: HealthBody;
  /** There is more than what was read: it may say that something is wrong. */
  isCut: boolean;
}

const WELL = new Set(['up', 'ok', 'pass', 'healthy']);
/** Words that say nothing but that something does not work, whatever they stand for. */
const DOWN = ['down', 'out_of_service', 'unavailable', 'unhealthy', 'unreachable', 'disconnected'];
const FAILED = new Set([...DOWN, 'critical', 'fail', 'failed', 'failing', 'failure', 'error']);
const DEGRADED = new Set(['warn', 'warning', 'degraded']);
/** Where the parts of a service stand, whatever else a body says. */
const NAMED_PARTS = ['components', 'checks'];
/**
 * Where they may stand in a body that says how the service is: Spring Boot Actuator, health+json
 * and .NET, terminus and others.
 */
const PARTS = [...NAMED_PARTS, 'entries', 'details', 'dependencies', 'error', 'results'];
/** What the parts of a list call themselves. */
const NAMES = ['name', 'key', 'component', 'service', 'id'];
/** Parts that are read, and how deep they may stand in each other. */
const MOST_PARTS = 1_000;
const MOST_DEPTH = 5;
const MOST_DETAILS = 5;

/**
 * Reads a health body that says the service or one of its parts is not well though its status may
 * be 200: Spring Boot Actuator (`{"status":"DOWN","components":{…}}`), the health+json draft
 * (draft-inadarei-api-health-check: `pass`, `warn`, `fail`), and `{"ok":false}`,
 * `{"healthy":false}` or `{"success":false}`, and parts beside the status
 * (`{"status":"ok","database":"down"}`). A service that says it is well, and of a part that it is
 * not, has a warning.
 *
 * @param isComplete whether this is the whole body; of a part of it, what stands there counts
 */
export function readHealthBody(body: string, isComplete = true): HealthReading {
  const health = parse(body, isComplete);
  // A page for people says nothing of its health, however long it is.
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

/** What is true where a service is well. */
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

/** A part of a service that is not well. */
interface Part {
  name: string;
  /** Its name, and what it says. */
  said?: string;
}

/**
 * Finds the parts that say they are not well, at any of the places where parts may stand, within
 * the bounds.
 */
class PartReader {
  /** There are more than what was read. */
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
        // `"db": "DOWN"`; texts beside an error are its words.
        const isWord = depth === 0 && place !== 'error' && name !== 'status';
        for (const failing of this.failingIn(name, isWord ? asPart(part) : part, depth))
          if (!found.has(failing.name)) found.set(failing.name, failing);
      }
    if (depth === 0 && saysHowItIs(health))
      for (const name of besideStatus(health)) if (!found.has(name)) found.set(name, { name });
    return [...found.values()];
  }

  /** A part that is not well, or else those of its own parts that are not. */
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

/**
 * The parts that stand beside the status of a service and say in one word that they do not work.
 */
const besideStatus = (health: JsonObject): string[] =>
  Object.keys(health).filter(
    (key) => key !== 'status' && DOWN.includes(textOf(health, key).toLowerCase()),
  );

const asPart = (part: Json): Json => (typeof part === 'string' ? { status: part } : part);

/**
 * The parts at a place: an object has them by name, each one or a list (health+json); in a list
 * they name themselves.
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
