import type { NextStep, Report } from '../../domain/diagnosis/finding.js';
import { oneLine, wrap } from './layout.js';
import type { Paint } from './paint.js';

interface Page {
  columns: number;
  paint: Paint;
}

/**
 * The next steps, with the commands; steps that change the system, and steps that a model proposes,
 * are marked.
 */
export function renderNextSteps({ next_steps: steps = [] }: Report, page: Page): string[] {
  if (steps.length === 0) return [];
  return [page.paint('bold', 'Next steps'), ...steps.flatMap((step) => stepLines(step, page)), ''];
}

function stepLines(
  { text, access, command, origin }: NextStep,
  { paint, columns }: Page,
): string[] {
  const [mark, colour] =
    access === 'change' ? (['change', 'yellow'] as const) : (['look', 'cyan'] as const);
  const note = origin === 'agent' ? ' (proposed by an agent, not checked)' : '';
  const lines = wrap(`${text}${note}`, columns - 11).map((line, i) =>
    i === 0 ? `  ${paint(colour, mark.padEnd(6))}  ${line}` : `          ${line}`,
  );
  return command === undefined
    ? lines
    : [
        ...lines,
        ...wrap(oneLine(command), columns - 13).map((line, i) =>
          paint('dim', `          ${i === 0 ? '$ ' : '  '}${line}`),
        ),
      ];
}
