import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { Json, JsonObject } from '../../lib/json.js';
import type { CheckedValue } from '../result.js';
import { compileJudgement } from './judgement.js';
import type { OwnOutput } from './own-output.js';
import type { OwnToolFile } from './own-tool-file.js';

/**
 * The values that a file names, of a JSON output; a value that is not a number, text or boolean is
 * omitted. A command whose exit code states the fault need not print any.
 * @throws Error if the output is not JSON
 */
export function measurementsIn(
  { measurements, exit }: OwnToolFile,
  { text, code = 0 }: OwnOutput,
): JsonObject {
  const names = Object.entries(measurements);
  if (names.length === 0) return {};
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    if (Object.hasOwn(exit, String(code))) return {};
    throw new Error('its output is not JSON with measurements');
  }
  return Object.fromEntries(
    names.flatMap(([name, path]): [string, Json][] => {
      const value = valueAt(json, path.split('.'));
      if (typeof value === 'string') return [[name, value.slice(0, 200)]];
      return typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : [];
    }),
  );
}

function valueAt(json: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return json;
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, key)) return undefined;
  return valueAt((json as Record<string, unknown>)[key], rest);
}

/**
 * The issues of an output by thresholds, exit codes and judgements, and the values that were
 * compared with a threshold.
 * @throws if this output lacks a value that a threshold or a judgement needs; an exit code that the
 *   file names is sufficient alone
 */
export function judgeOutput(
  file: OwnToolFile,
  measured: JsonObject,
  { code = 0, text, stderr = '' }: OwnOutput,
): { issues: Issue[]; judged: CheckedValue[] } {
  const issues: Issue[] = [];
  const judged: CheckedValue[] = [];
  const exit = file.exit[String(code)];
  if (exit) {
    const said = (stderr.trim() || text.trim()).slice(0, 300);
    const detail = `It ended with code ${code}${said ? `. It said: "${said}".` : ' and wrote nothing.'}`;
    issues.push(issueOf(exit, exit.title, detail));
  }
  for (const { measurement, above, below, ...verdict } of file.thresholds) {
    const value = measured[measurement];
    if (typeof value !== 'number') {
      if (exit) continue;
      const path = file.measurements[measurement] ?? measurement;
      const found = value === undefined ? 'no value' : `a ${typeof value}`;
      throw new Error(
        `a threshold needs the measurement ${measurement}: a number at ${path} of the output, where it has ${found}`,
      );
    }
    judged.push({
      metric: measurement,
      value,
      ...(above !== undefined && { most: above }),
      ...(below !== undefined && { least: below }),
    });
    const isOver = above !== undefined && value > above;
    if (!isOver && (below === undefined || value >= below)) continue;
    const title = verdict.title.replaceAll('{value}', String(value));
    const limit = isOver ? `at most ${above}` : `at least ${below}`;
    issues.push(issueOf(verdict, title, `${measurement} is ${value}; expected ${limit}.`));
  }
  for (const { when, ...verdict } of file.judge) {
    const compiled = compileJudgement(when);
    if ('fault' in compiled || !holds(compiled.judgement, { code, text }, exit !== undefined))
      continue;
    issues.push(issueOf(verdict, verdict.title, `It holds that ${when}.`));
  }
  return { issues, judged };
}

/** @param mayLack the exit code states the fault: missing values of an output are no error */
function holds(
  judgement: (output: { code: number; text: string }) => boolean,
  output: { code: number; text: string },
  mayLack: boolean,
): boolean {
  try {
    return judgement(output);
  } catch (error) {
    if (mayLack) return false;
    throw error;
  }
}

function issueOf(
  { severity, symptom, kind }: OwnToolFile['exit'][string],
  title: string,
  detail: string,
): Issue {
  return { severity, symptom, title, detail, ...(kind && { kind }) };
}
