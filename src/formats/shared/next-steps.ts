import { stepText } from '../../domain/diagnosis/step-text.js';
import type { EventData } from '../../domain/events/event.js';

/** Returns the summary of a run followed by the next steps of its report, as Markdown: clients may show the text alone. */
export function withNextSteps({
  summary,
  report,
}: Pick<EventData['lifecycle.completed'], 'summary' | 'report'>): string {
  const steps = report?.next_steps ?? [];
  return steps.length === 0
    ? summary
    : `${summary}\n\nNext steps:\n\n${steps.map((step, i) => `${i + 1}. ${stepText(step)}`).join('\n')}`;
}
