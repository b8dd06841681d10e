import type { RunDetail, RunItem } from '../../api/types.js';
import type { GlyphState } from '../../ui/glyph.js';
import { VERDICTS } from '../../ui/words.js';

/** How a run has ended, or that it has not. */
export interface Outcome {
  state: GlyphState;
  label: string;
  /** What was found; empty where there is nothing to say. */
  text: string;
}

const STATES: Record<string, GlyphState> = {
  root_cause_found: 'root',
  issues_found: 'warning',
  healthy: 'ok',
  inconclusive: 'inconclusive',
};

/** @param detail the run with its report, where it was read: lists of older services do not say what was found */
export function outcomeOf(run: RunItem, detail: RunDetail | undefined): Outcome {
  const report = detail?.report;
  switch (run.status) {
    case 'queued':
      return { state: 'unknown', label: 'Queued', text: '' };
    case 'running':
      return {
        state: 'running',
        label: run.kind === 'chat' ? 'Answering' : 'Diagnosing',
        text: run.headline ?? '',
      };
    case 'failed': {
      const error = detail?.error;
      return {
        state: 'failed',
        label: 'Failed',
        text: error ? `${error.code}: ${error.message}` : '',
      };
    }
    case 'cancelled': {
      const found = run.headline ?? report?.findings[0]?.title;
      return { state: 'cancelled', label: 'Cancelled', text: found ? `Until then: ${found}` : '' };
    }
    case 'completed':
      if (run.kind === 'chat')
        return { state: 'ok', label: 'Answered', text: detail?.summary ?? run.headline ?? '' };
      return completed(run.verdict ?? report?.verdict, run, detail);
  }
}

function completed(
  verdict: string | undefined,
  run: RunItem,
  detail: RunDetail | undefined,
): Outcome {
  const state = STATES[verdict ?? ''] ?? 'unknown';
  const label = VERDICTS[verdict ?? ''] ?? 'Completed';
  const report = detail?.report;
  const headline = run.headline ?? report?.headline;
  if (headline) return { state, label, text: headline };
  if (report && report.root_causes.length > 0)
    return { state, label, text: report.root_causes.map(({ title }) => title).join(' · ') };
  const found = report?.findings.slice(0, 2).map(({ node, title }) => `${node}: ${title}`);
  return { state, label, text: found?.join(' · ') ?? '' };
}
