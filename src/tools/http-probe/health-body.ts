import { isJsonObject, type Json, type JsonObject } from '../../lib/json.js';
import type { Severity } from '../../domain/diagnosis/finding.js';

/** What the body of a health endpoint reports about its service. */
export interface HealthBody {
  severity: Exclude<Severity, 'info'>;
  /** `DOWN: db` */
  text: string;
  /** What its failing parts say. */
  details: string[];
}

const FAILED = new Set([
  'down',
  'out_of_service',
  'fail',
  'failed',
  'error',
  'unhealthy',
  'critical',
]);
const DEGRADED = new Set(['warn', 'warning', 'degraded']);
/** Where the parts of a service stand: Spring Boot Actuator, health+json and .NET, terminus and others. */
const PARTS = ['components', 'checks', 'entries', 'details', 'dependencies', 'error', 'results'];
const MOST_PARTS = 200;
const MOST_DETAILS = 5;

/**
 * Reads a health body that says the service is not well though its status may be 200: Spring Boot Actuator
 * (`{"status":"DOWN","components":{…}}`), the health+json draft (draft-inadarei-api-health-check: `pass`, `warn`, `fail`), and
 * `{"ok":false}` or `{"healthy":false}`. Undefined where the body is no such object, or says that all is well.
 */
export function readHealthBody(body: string): HealthBody | undefined {
  const health = parse(body);
  if (!health) return undefined;
  const severity = severityOf(health);
  if (!severity) return undefined;
  const parts = failingParts(health);
  const word = typeof health['status'] === 'string' ? health['status'] : 'not healthy';
  const names = parts.map(({ name }) => name).slice(0, MOST_DETAILS);
  return {
    severity,
    text: names.length === 0 ? word : `${word}: ${names.join(', ')}`,
    details: parts.flatMap(({ said }) => said ?? []).slice(0, MOST_DETAILS),
  };
}

function parse(body: string): JsonObject | undefined {
  if (!/^\s{0,100}\{/.test(body)) return undefined;
  try {
    const value = JSON.parse(body) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // No JSON, or cut: there is nothing to read.
  }
}

function severityOf({ status, ok, healthy }: JsonObject): HealthBody['severity'] | undefined {
  const word = typeof status === 'string' ? status.toLowerCase() : '';
  if (FAILED.has(word) || ok === false || healthy === false) return 'critical';
  return DEGRADED.has(word) ? 'warning' : undefined;
}

/** Parts at any of the places where they may stand, one level down; health+json has lists of checks by name. */
function failingParts(health: JsonObject): { name: string; said?: string }[] {
  const found: { name: string; said?: string }[] = [];
  for (const place of PARTS) {
    const parts = health[place];
    if (!isJsonObject(parts)) continue;
    for (const [name, part] of Object.entries(parts).slice(0, MOST_PARTS)) {
      const all = (Array.isArray(part) ? part.slice(0, MOST_PARTS) : [part]).map((each) =>
        // `"db": "DOWN"`; texts beside an error are its words.
        typeof each === 'string' && place !== 'error' && name !== 'status'
          ? { status: each }
          : each,
      );
      const failing = all.find((each) => isJsonObject(each) && severityOf(each) !== undefined);
      if (!isJsonObject(failing) || found.some((each) => each.name === name)) continue;
      const said = wordsOf(failing);
      found.push({ name, ...(said !== undefined && { said: `${name}: ${said}` }) });
    }
  }
  return found;
}

/** The error of a part, under the names that it has in those formats. */
function wordsOf(part: JsonObject): string | undefined {
  const details = isJsonObject(part['details']) ? part['details'] : {};
  const words = [
    part['output'],
    part['error'],
    part['message'],
    part['description'],
    details['error'],
    details['message'],
  ];
  return words.find((each): each is string => typeof each === 'string' && each !== '');
}
