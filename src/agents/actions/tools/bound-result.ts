import { isFailureKind } from '../../../domain/diagnosis/failure-kind.js';
import { nextStepsOfIssue } from '../../../domain/diagnosis/issues/next-steps-of-issue.js';
import { SYMPTOMS, type Severity, type Symptom } from '../../../domain/diagnosis/finding.js';
import type { Json, JsonObject } from '../../../lib/json.js';
import type {
  Issue,
  Mention,
  NearThreshold,
  ProbeSample,
  Threshold,
  ToolResult,
} from '../../../domain/diagnosis/tool-result.js';
import { textOfBytes } from '../../../tools/net/text-of-bytes.js';

/** Maximum UTF-16 code units of a result, in the log and in the conversation. */
const MOST = 65_536;
const MOST_TEXT = 2_000;
const MOST_ISSUES = 50;
const DEPTH = 32;
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info'];

/**
 * Converts whatever a tool returned to plain JSON of bounded size. Cuts what is too large, binary,
 * or not well-formed text. Reads no more of it than it keeps.
 * @throws TypeError if it is no result at all
 */
export function boundResult(
  returned: unknown,
  most = MOST,
): { result: ToolResult; truncated: boolean } {
  if (
    typeof returned !== 'object' ||
    returned === null ||
    !('issues' in returned) ||
    !Array.isArray(returned.issues)
  )
    throw new TypeError('The tool returned something that is not a result.');
  const {
    status,
    summary,
    measurements,
    issues,
    near,
    thresholds,
    samples,
    mentions,
    unreliable,
    partial,
    hidden,
    not_read: notRead,
  } = returned as Partial<Record<keyof ToolResult, unknown>> & { issues: unknown[] };
  const cut = new Cutter(most);
  const result: ToolResult = {
    status: status === 'degraded' || status === 'failed' ? status : 'ok',
    summary: cut.text(summary, MOST_TEXT),
    issues: cut.list(worstFirst(issues)).flatMap((issue) => cut.issue(issue)),
    ...(Array.isArray(near) && {
      near: cut.list(near).flatMap((one) => (isNear(one) ? [one] : [])),
    }),
    ...(Array.isArray(thresholds) && {
      thresholds: cut.list(thresholds).flatMap((one) => cut.threshold(one)),
    }),
    ...(Array.isArray(samples) && { samples: cut.list(samples).map((one) => cut.sample(one)) }),
    ...(Array.isArray(mentions) && {
      mentions: cut.list(mentions).flatMap((one) => cut.mention(one)),
    }),
    ...(unreliable === true && { unreliable }),
    ...(partial === true && { partial }),
    ...(typeof hidden === 'string' && hidden !== '' && { hidden: cut.text(hidden, MOST_TEXT) }),
    ...(typeof notRead === 'string' &&
      notRead !== '' && { not_read: cut.text(notRead, MOST_TEXT) }),
    measurements: cut.object(measurements),
  };
  // Through text and back, so that no reference keeps the large original in memory.
  return { result: JSON.parse(JSON.stringify(result)) as ToolResult, truncated: cut.truncated };
}

/** As little as possible must be cut off: a long result must not hide a failure. */
const worstFirst = (issues: readonly unknown[]): unknown[] =>
  SEVERITIES.flatMap((severity) =>
    issues.filter((issue) => ((issue ?? {}) as Partial<Issue>).severity === severity),
  );

/** The message of any thrown value. */
export function errorText(error: unknown): string {
  try {
    return new Cutter(MOST_TEXT).text(
      error instanceof Error
        ? error.message
        : typeof error === 'string'
          ? error
          : (JSON.stringify(error) ?? String(typeof error)),
      MOST_TEXT,
    );
  } catch {
    return 'the tool threw a value that cannot be converted to text';
  }
}

const isFinite = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);

const isNear = (value: unknown): value is NearThreshold => {
  const { metric, value: measured, threshold } = (value ?? {}) as Partial<NearThreshold>;
  return (
    typeof metric === 'string' && typeof measured === 'number' && typeof threshold === 'number'
  );
};

const NUMBERS = ['duration_ms', 'took_ms', 'limit_ms', 'http_status'] as const;
const FLAGS = ['intermittent', 'alert'] as const;

/** The properties of an issue that are of their type. */
const keep = (
  issue: Partial<Record<keyof Issue, unknown>>,
  keys: readonly (keyof Issue)[],
  isSound: (value: unknown) => boolean,
): Partial<Issue> =>
  Object.fromEntries(keys.flatMap((key) => (isSound(issue[key]) ? [[key, issue[key]]] : [])));

class Cutter {
  truncated = false;

  constructor(private left: number) {}

  issue(value: unknown): Issue[] {
    const { severity, symptom, title, detail, kind, object, ...more } = (value ?? {}) as Partial<
      Record<keyof Issue, unknown>
    >;
    if (!SEVERITIES.includes(severity as Severity) || !SYMPTOMS.includes(symptom as Symptom))
      return [];
    const words = { title: this.text(title, MOST_TEXT), detail: this.text(detail, MOST_TEXT) };
    return [
      {
        severity: severity as Severity,
        symptom: symptom as Symptom,
        ...words,
        ...keep(more, NUMBERS, isFinite),
        ...keep(more, FLAGS, (flag) => flag === true),
        ...(isFailureKind(kind) && { kind }),
        ...nextStepsOfIssue(more),
        ...(typeof object === 'string' && object !== '' && { object: this.text(object, 400) }),
      },
    ];
  }

  mention(value: unknown): Mention[] {
    const { node, endpoint, failure, symptom } = (value ?? {}) as Partial<
      Record<keyof Mention, unknown>
    >;
    if (typeof node !== 'string') return [];
    const words = { endpoint: this.text(endpoint, 300), failure: this.text(failure, MOST_TEXT) };
    const known = SYMPTOMS.find((each) => each === symptom);
    return [{ node: this.text(node, 1_000), ...words, ...(known && { symptom: known }) }];
  }

  threshold(value: unknown): Threshold[] {
    const { metric, most, least } = (value ?? {}) as Partial<Record<keyof Threshold, unknown>>;
    if (typeof metric !== 'string' || !(isFinite(most) || isFinite(least))) return [];
    return [
      {
        metric: this.text(metric, 256),
        ...(isFinite(most) && { most }),
        ...(isFinite(least) && { least }),
      },
    ];
  }

  sample(value: unknown): ProbeSample {
    const { ms, status, error } = (value ?? {}) as Partial<Record<keyof ProbeSample, unknown>>;
    return {
      ...(isFinite(ms) && { ms }),
      ...(isFinite(status) && { status }),
      ...(typeof error === 'string' && { error: this.text(error, 300) }),
    };
  }

  list(values: readonly unknown[]): readonly unknown[] {
    if (values.length > MOST_ISSUES) this.truncated = true;
    return values.slice(0, MOST_ISSUES);
  }

  object(value: unknown): JsonObject {
    const copy = this.copy(value, 0);
    return typeof copy === 'object' && copy !== null && !Array.isArray(copy)
      ? copy
      : { result: copy };
  }

  text(value: unknown, most = this.left): string {
    if (typeof value !== 'string') return '';
    const shown = value.slice(0, Math.max(0, Math.min(most, this.left)));
    this.left -= shown.length;
    if (shown.includes('\0')) {
      this.truncated = true;
      return `(binary, ${value.length} characters)`;
    }
    // A pair that the end of what is shown cuts in two is dropped; other halves of pairs are no
    // text.
    const whole = shown.length < value.length ? shown.replace(/[\ud800-\udbff]$/, '') : shown;
    const formed = whole.replace(/\p{Surrogate}/gu, '\ufffd');
    if (shown.length < value.length || formed !== whole) this.truncated = true;
    return formed;
  }

  private copy(value: unknown, depth: number): Json {
    this.left--;
    if (this.left < 0 || depth > DEPTH) {
      this.truncated = true;
      return null;
    }
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        return Number.isFinite(value) ? value : null;
      case 'boolean':
        return value;
      case 'bigint':
        return String(value);
      case 'object':
        if (value === null) return null;
        if (value instanceof Uint8Array) return this.bytes(value);
        if (value instanceof Date)
          return Number.isNaN(value.getTime()) ? null : value.toISOString();
        return Array.isArray(value) ? this.array(value, depth) : this.fields(value, depth);
      case 'undefined':
      case 'function':
      case 'symbol':
        return null;
    }
  }

  private bytes(value: Uint8Array): Json {
    const { text, whole } = textOfBytes(value, Math.max(0, this.left));
    this.left -= text.length;
    if (!whole) this.truncated = true;
    return text;
  }

  private array(values: readonly unknown[], depth: number): Json[] {
    const copied: Json[] = [];
    for (const value of values) {
      if (this.isFull()) break;
      copied.push(this.copy(value, depth + 1));
    }
    return copied;
  }

  private fields(value: object, depth: number): JsonObject {
    const copied: [string, Json][] = [];
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      if (this.isFull()) break;
      const field = (value as Record<string, unknown>)[key];
      if (field !== undefined) copied.push([this.text(key, 256), this.copy(field, depth + 1)]);
    }
    return Object.fromEntries(copied);
  }

  private isFull(): boolean {
    if (this.left > 0) return false;
    this.truncated = true;
    return true;
  }
}
