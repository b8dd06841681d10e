import { stepText } from '../../domain/diagnosis/steps/step-text.js';
import { escapeMarkdown } from '../../lib/markdown.js';
import type { EventData } from '../../domain/events/event.js';

const numbered = (title: string, lines: readonly string[]): string =>
  lines.length === 0
    ? ''
    : `\n\n${title}:\n\n${lines.map((line, i) => `${i + 1}. ${line}`).join('\n')}`;

/**
 * Returns the summary of a run followed by the repairs and next steps of its report, as Markdown:
 * clients may show the text alone. The summary of a chat, which has no report, is the text of its
 * model: Markdown already.
 */
export function withNextSteps({
  summary,
  report,
}: Pick<EventData['lifecycle.completed'], 'summary' | 'report'>): string {
  if (report === null) return summary;
  const repairs = (report.repairs ?? []).map(
    ({ outcome, text }) => `${outcome}: ${escapeMarkdown(text)}`,
  );
  const steps = (report.next_steps ?? []).map(stepText);
  return escapeMarkdown(summary) + numbered('Repairs', repairs) + numbered('Next steps', steps);
}
