import type { EventData } from '../../domain/events/event.js';

/** Returns the summary of a run followed by the next steps of its report, for formats that only have text. */
export function withNextSteps({
  summary,
  report,
}: Pick<EventData['lifecycle.completed'], 'summary' | 'report'>): string {
  const steps = report?.next_steps ?? [];
  return steps.length === 0
    ? summary
    : `${summary}\n\nNext steps:\n\n${steps.map(({ text }, i) => `${i + 1}. ${text}`).join('\n')}`;
}
