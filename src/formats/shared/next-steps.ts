import type { EventData } from '../../domain/events/event.js';

/** The summary of a run, and under it the next steps of its report, for formats that can say text only. */
export function withNextSteps({
  summary,
  report,
}: Pick<EventData['lifecycle.completed'], 'summary' | 'report'>): string {
  const steps = report?.next_steps ?? [];
  return steps.length === 0
    ? summary
    : `${summary}\n\nNext steps:\n\n${steps.map(({ text }, i) => `${i + 1}. ${text}`).join('\n')}`;
}
