import { useMemo } from 'react';
import type { NextStep } from '../../../../src/domain/diagnosis/finding.js';
import { Part } from './part.js';
import { Step } from './step.js';

interface NextStepsProps {
  steps: readonly NextStep[];
  /** Steps that the cards of the causes show: the list goes on behind them. */
  shown: ReadonlySet<NextStep>;
}

/** What to do next. */
export function NextSteps({ steps, shown }: NextStepsProps) {
  const rest = useMemo(() => steps.filter((step) => !shown.has(step)), [steps, shown]);
  if (rest.length === 0) return null;
  return (
    <Part title={shown.size > 0 ? 'Then' : 'Next steps'} count={rest.length}>
      <ol className="steps" start={shown.size + 1}>
        {rest.map((step) => (
          <li key={`${step.text} ${step.node ?? ''}`}>
            <Step step={step} />
          </li>
        ))}
      </ol>
    </Part>
  );
}
