import { isJsonObject, textOf, type Json, type JsonObject } from '../../../lib/json.js';
import { isFailureKind } from '../failure-kind.js';
import { bySeverity, SYMPTOMS, type Severity, type Symptom } from '../finding.js';
import type { Issue } from '../tool-result.js';
import { nextStepsOfIssue } from './next-steps-of-issue.js';
import { fieldsInTitle } from './older-titles.js';

const MOST_ISSUES = 50;
const MOST_TEXT = 1_000;
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];

/** The most severe issues of a tool result, with the time that the target took if it is known. */
export function issuesOf(result: Json): Issue[] {
  if (!isJsonObject(result) || !Array.isArray(result['issues'])) return [];
  const { measurements } = result;
  const beside = isJsonObject(measurements) ? medianTime(measurements) : undefined;
  return result['issues']
    .flatMap((issue) => (isJsonObject(issue) ? issueIn(issue, beside) : []))
    .toSorted(bySeverity)
    .slice(0, MOST_ISSUES);
}

function issueIn(issue: JsonObject, medianMs: number | undefined): Issue[] {
  const severity = issue['severity'] as Severity;
  const symptom = issue['symptom'] as Symptom;
  if (!SEVERITIES.includes(severity) || !SYMPTOMS.includes(symptom)) return [];
  const { kind, http_status: status, object } = issue;
  const title = textOf(issue, 'title').slice(0, MOST_TEXT) || 'is unhealthy';
  const older = fieldsInTitle({ symptom, title });
  const duration = timeIn(issue, 'duration_ms');
  const took = duration ?? timeIn(issue, 'took_ms') ?? older.took_ms ?? medianMs;
  return [
    {
      severity,
      symptom,
      title,
      detail: textOf(issue, 'detail').slice(0, MOST_TEXT),
      ...older,
      ...(isFailureKind(kind) && { kind }),
      ...nextStepsOfIssue(issue),
      ...(issue['alert'] === true && { alert: true }),
      ...(issue['intermittent'] === true && { intermittent: true }),
      ...(typeof status === 'number' && { http_status: status }),
      ...(typeof object === 'string' && object !== '' && { object: object.slice(0, MOST_TEXT) }),
      ...(duration !== undefined && { duration_ms: duration }),
      ...(took !== undefined && { took_ms: took }),
    },
  ];
}

function timeIn(issue: JsonObject, key: string): number | undefined {
  const ms = issue[key];
  return typeof ms === 'number' && ms >= 0 ? ms : undefined;
}

/** ms of the answered tries, as the tool measured them beside its issues. */
function medianTime(measurements: JsonObject): number | undefined {
  for (const key of ['latency_ms', 'ping_ms', 'connect_ms', 'lookup_ms']) {
    const value = measurements[key];
    const ms = isJsonObject(value) ? value['median'] : value;
    if (typeof ms === 'number' && ms >= 0) return ms;
  }
  return undefined;
}
