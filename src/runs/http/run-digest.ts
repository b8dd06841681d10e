import { z } from 'zod';
import { bySeverity, VERDICTS, type Finding, type Report } from '../../domain/diagnosis/finding.js';
import { withName } from '../../domain/diagnosis/wording.js';
import type { EventData, RunEvent } from '../../domain/events/event.js';
import { unescapeMarkdown } from '../../lib/markdown.js';
import { clip } from '../../lib/text.js';

const LONGEST_HEADLINE = 300;

/**
 * A short form of a run's outcome. Everything but `headline` is null, false or empty for a run that
 * has not ended.
 */
export const runDigest = z.object({
  verdict: z.enum(VERDICTS).nullable(),
  /**
   * The headline of the report; before the end the most severe finding so far; for a chat the
   * beginning of the answer.
   */
  headline: z.string().nullable(),
  counts: z.object({ critical: z.int(), warning: z.int(), info: z.int() }).nullable(),
  partial: z.boolean(),
  reasons: z.array(z.string()),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type RunDigest = z.infer<typeof runDigest>;

type Terminal = Partial<
  EventData['lifecycle.completed'] &
    EventData['lifecycle.failed'] &
    EventData['lifecycle.cancelled']
>;

/**
 * @param terminal the last event of a run; undefined: the run has not ended, or its end is no
 *   longer stored
 */
export function digestOf(terminal: RunEvent | undefined): RunDigest {
  const { report, summary, partial, reasons, error, code } = (terminal?.data ?? {}) as Terminal;
  return {
    verdict: report?.verdict ?? null,
    // Without a report it is the answer of a chat, which is Markdown.
    headline: shortened(report ? headlineOf(report) : unescapeMarkdown(summary ?? '')),
    counts: report?.counts ?? null,
    partial: partial ?? false,
    reasons: reasons ?? [],
    error: error === undefined ? null : { code: code ?? '', message: error },
  };
}

/**
 * The headline of the most severe finding that agents have reported so far, with the name of its
 * node. Null if there is none.
 */
export function headlineSoFar(
  reports: readonly RunEvent[],
  nameOf: (node: string) => string,
): string | null {
  const findings = reports.flatMap(
    ({ data }) => (data as Partial<EventData['dispatch.report']>).findings ?? [],
  );
  const found = worst(findings);
  return shortened(found && withName(nameOf(found.node), found.title));
}

/** Reports of older logs have no headline. */
const headlineOf = ({ headline, root_causes, findings }: Report): string | undefined =>
  headline ?? root_causes[0]?.title ?? worst(findings)?.title;

const worst = (findings: readonly Finding[]): Finding | undefined =>
  findings.toSorted(bySeverity)[0];

const shortened = (text: string | undefined): string | null =>
  text ? clip(text, LONGEST_HEADLINE) : null;
