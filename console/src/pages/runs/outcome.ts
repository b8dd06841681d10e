import { ENDED_EARLY, listed } from '../../../../src/domain/diagnosis/wording.js';
import type { RunItem } from '../../api/types.js';
import type { GlyphState } from '../../ui/glyph-state.js';
import { VERDICTS } from '../../model/verdicts.js';

/** How a run has ended, or that it has not. */
export interface Outcome {
  state: GlyphState;
  label: string;
  /** What was found; empty if there is nothing to say. */
  text: string;
}

const STATES: Record<string, GlyphState> = {
  root_cause_found: 'root',
  issues_found: 'warning',
  healthy: 'ok',
  inconclusive: 'inconclusive',
};

/** A headline without what the label beside it says: that the run was cut, which is the cause. */
const newsIn = (headline: string): string =>
  listed(
    headline.startsWith(`${ENDED_EARLY} `) ? headline.slice(ENDED_EARLY.length + 1) : headline,
  );

export function outcomeOf(run: RunItem): Outcome {
  const text = newsIn(run.headline ?? '');
  switch (run.status) {
    case 'queued':
      return { state: 'unknown', label: 'Queued', text: '' };
    case 'running':
      return { state: 'running', label: run.kind === 'chat' ? 'Answering' : 'Diagnosing', text };
    case 'failed': {
      const { error } = run;
      const why = error ? `${error.code}: ${error.message}` : '';
      return { state: 'failed', label: 'Failed', text: why };
    }
    case 'cancelled': {
      const found = run.counts !== null && run.counts.critical + run.counts.warning > 0;
      return { state: 'cancelled', label: 'Cancelled', text: found ? `Until then: ${text}` : text };
    }
    case 'completed':
      if (run.kind === 'chat') return { state: 'ok', label: 'Answered', text };
      return {
        state: STATES[run.verdict ?? ''] ?? 'unknown',
        label: VERDICTS[run.verdict ?? ''] ?? 'Completed',
        text,
      };
  }
}
