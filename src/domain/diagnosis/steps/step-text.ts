import { codeSpan, escapeMarkdown } from '../../../lib/markdown.js';
import type { NextStep } from '../finding.js';

/** The label of a step: one that changes the system must differ from one that only reads. */
export const stepMark = ({ access }: Pick<NextStep, 'access'>): 'Change' | 'Look' =>
  access === 'change' ? 'Change' : 'Look';

/** Marks a step that a model proposes. */
export const stepNote = ({ origin }: Pick<NextStep, 'origin'>): string =>
  origin === 'agent' ? ' (proposed by an agent, not checked)' : '';

/** A step as one line of Markdown: its label, its text, and the command as code. */
export function stepText({ text, command, ...step }: NextStep): string {
  const code = command === undefined ? '' : ` ${codeSpan(command)}`;
  return `**${stepMark(step)}**: ${escapeMarkdown(text)}${stepNote(step)}${code}`;
}

/**
 * The same steps, ordered for a list that shows only a few: first the first step of each node that
 * fits, then the second of each. Both parts keep their order.
 */
export function fewFirst(steps: readonly NextStep[], few: number): NextStep[] {
  const counts = new Map<string, number>();
  const ranked = steps.map((step) => {
    const rank = counts.get(step.node ?? '') ?? 0;
    counts.set(step.node ?? '', rank + 1);
    return { step, rank };
  });
  const chosen = new Set(ranked.toSorted((a, b) => a.rank - b.rank).slice(0, few));
  return [
    ...ranked.filter((each) => chosen.has(each)),
    ...ranked.filter((each) => !chosen.has(each)),
  ].map(({ step }) => step);
}
