import type { Finding, Report, ReportCitation } from '../diagnosis/finding.js';
import type { Json, JsonObject } from '../../lib/json.js';
import { countFindings } from '../diagnosis/verdict.js';

/**
 * Texts are not cut below this number of UTF-16 code units, so that ids, codes and names stay
 * whole.
 */
const SHORT = 256;
/**
 * Objects keep at least this number of keys. No payload of the contract has more, so that each
 * keeps its shape.
 */
const KEYS = 16;
/** Code units kept of a free-form value that cannot be cut otherwise. */
const PREVIEW = 8_192;
const MARK = '…';

/**
 * Bytes of a text in UTF-8. A lone surrogate counts three, because U+FFFD replaces it; JSON text
 * has none.
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes++;
    if (unit < 0x800) continue;
    bytes++;
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    // A pair has four bytes and two units; its second half adds only one to `text.length`.
    if (next >= 0xdc00 && next <= 0xdfff) i++;
  }
  return bytes;
}

/**
 * The beginning of a text, at most `most` UTF-16 code units and the mark, cut between code points.
 * @internal Exported for tests.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most) + MARK;
}

/**
 * Copies a value with texts and keys of at most `units` and lists of at most `items`; undefined if
 * its JSON certainly exceeds `most` bytes. O(most): stops as soon as it is too large.
 */
function shrink(
  source: JsonObject,
  units: number,
  items: number,
  most: number,
): JsonObject | undefined {
  let left = most;
  const copy = (value: Json): Json => {
    left--;
    if (left < 0) return null;
    if (typeof value === 'string') {
      const text = cutText(value, units);
      left -= text.length;
      return text;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.slice(0, items).map(copy);
    const kept: [string, Json][] = [];
    for (const key of Object.keys(value).slice(0, Math.max(items, KEYS))) {
      if (left < 0) break;
      left -= Math.min(key.length, units) + 3;
      kept.push([cutText(key, units), copy(value[key] as Json)]);
    }
    return Object.fromEntries(kept);
  };
  const copied = copy(source) as JsonObject;
  return left < 0 ? undefined : copied;
}

/** Cuts free-form values, whose shape no reader depends on, to the beginning of their text. */
const previewed = (data: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const typed =
        typeof value !== 'object' ||
        value === null ||
        key === 'report' ||
        key === 'findings' ||
        key === 'hierarchy';
      if (typed || JSON.stringify(value).length <= PREVIEW) return [key, value];
      const preview = cutText(JSON.stringify(value), PREVIEW);
      return [key, key === 'args' ? { preview } : preview];
    }),
  );

/** Updates the count of a report whose findings were cut. */
function recounted(data: JsonObject): JsonObject {
  const report = data['report'] as JsonObject | null | undefined;
  if (!report) return data;
  return {
    ...data,
    report: { ...report, counts: { ...countFindings(report['findings'] as unknown as Finding[]) } },
  };
}

/**
 * A report with fewer findings: those about its root causes, and the first `most` of the others,
 * with the citations that they need. The state of every node, and the evidence of the root causes,
 * stay.
 */
function withFindings(data: JsonObject, report: CitedReport, most: number): JsonObject {
  const causes = new Set(report.root_causes.map(({ node }) => node));
  let left = most;
  const findings = report.findings.filter(({ node }) => causes.has(node) || left-- > 0);
  const cited = new Set([...report.root_causes, ...findings].flatMap(({ evidence }) => evidence));
  const citations = report.citations.filter(({ sequence }) => cited.has(sequence));
  return { ...data, report: { ...report, findings, citations } as unknown as Json };
}

/** What a report needs to be cut by its findings; older ones have no citations. */
type CitedReport = Pick<Report, 'findings' | 'root_causes'> & { citations: ReportCitation[] };

function citedReport({ report }: JsonObject): CitedReport | undefined {
  const { findings, root_causes, citations } = (report ?? {}) as Partial<Record<string, Json>>;
  return [findings, root_causes, citations].every(Array.isArray)
    ? (report as unknown as CitedReport)
    : undefined;
}

/**
 * Cuts a payload that is too large to at most `most` bytes of JSON: first the longest texts, as
 * little as needed; then the findings of a report; then lists, from their ends; then free-form
 * values, to the beginning of their text. The result keeps the shape of the payload and has
 * `truncated: true`.
 */
function cutPayload(json: string, most: number): string {
  // First, because keys are cut from the end.
  const data: JsonObject = { truncated: true, ...(JSON.parse(json) as JsonObject) };
  data['truncated'] = true;
  const made = (source: JsonObject, units: number, items: number): string | undefined => {
    const copy = shrink(source, units, items, most);
    const text = copy && JSON.stringify(recounted(copy));
    return text !== undefined && utf8Length(text) <= most ? text : undefined;
  };
  /** Finds the text for the greatest n in [low, high] that fits, if the one for `low` does. */
  const fitting = (
    low: number,
    high: number,
    text: (n: number) => string | undefined,
  ): string | undefined => {
    let best = text(low);
    while (best !== undefined && high - low > low / 64) {
      const middle = Math.ceil((low + high) / 2);
      const tried = text(middle);
      if (tried === undefined) high = middle - 1;
      else [low, best] = [middle, tried];
    }
    return best;
  };
  const all = json.length;
  const report = citedReport(data);
  return (
    fitting(SHORT, Math.max(SHORT, most), (units) => made(data, units, all)) ??
    (report &&
      fitting(0, report.findings.length, (n) => made(withFindings(data, report, n), SHORT, all))) ??
    fitting(1, Math.max(1, most), (items) => made(data, SHORT, items)) ??
    made(previewed(data), PREVIEW, 1) ??
    '{"truncated":true}'
  );
}

/**
 * Serialises a payload to at most `most` bytes (at least 65,536, so that each payload of the
 * contract fits after its texts are cut). Every stored payload passes through it.
 * @throws TypeError if JSON cannot represent the data (a cycle, a bigint)
 */
export function serialisePayload(data: object, most: number): string {
  const json = JSON.stringify(data);
  // A code unit takes at most three bytes.
  return json.length * 3 <= most || utf8Length(json) <= most ? json : cutPayload(json, most);
}
