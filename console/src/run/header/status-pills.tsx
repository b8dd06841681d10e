import { Glyph } from '../../ui/glyph.js';
import type { GlyphState } from '../../ui/glyph-state.js';
import { number } from '../../model/number.js';
import { VERDICTS } from '../../model/verdicts.js';
import { useRunView } from '../run-context.js';
import type { RunModel } from '../../model/run-model.js';

interface Status {
  kind: string;
  state: GlyphState;
  label: string;
}

const VERDICT_STATES: Record<string, GlyphState> = {
  root_cause_found: 'root',
  issues_found: 'warning',
  healthy: 'ok',
  inconclusive: 'inconclusive',
};

/** The verdict, or how far the run is; whether it is partial, and why. */
export function StatusPills() {
  const { model, seq } = useRunView();
  const { kind, state, label } = statusAt(model, seq);
  const { terminal } = model;
  const reasons =
    terminal?.name === 'lifecycle.completed' && model.endedAt(seq) && terminal.data.partial
      ? terminal.data.reasons
      : undefined;
  return (
    <span className="pills" role="status">
      <span className={`pill pill-${kind}`}>
        <Glyph state={state} size={13} />
        {label}
      </span>
      {reasons && (
        <span className="pill pill-partial" title={`Reasons: ${reasons.join(', ')}`}>
          <Glyph state="warning" size={12} />
          <span className="ellip">Partial{reasons.length > 0 && `: ${reasons.join(', ')}`}</span>
        </span>
      )}
      {state === 'running' && (
        <span className="sr">Event {number(Math.floor(seq / 100) * 100)}</span>
      )}
    </span>
  );
}

function statusAt(model: RunModel, seq: number): Status {
  const { terminal, report, started } = model;
  if (!terminal || !model.endedAt(seq)) {
    if (seq === 0) return { kind: 'queued', state: 'unknown', label: 'Reading the log' };
    if (seq <= 2) return { kind: 'queued', state: 'unknown', label: 'Queued' };
    const label = started?.kind === 'chat' ? 'Answering' : 'Diagnosing';
    return { kind: 'running', state: 'running', label };
  }
  if (terminal.name === 'lifecycle.failed')
    return { kind: 'failed', state: 'failed', label: `Failed: ${terminal.data.code}` };
  if (terminal.name === 'lifecycle.cancelled')
    return { kind: 'cancelled', state: 'cancelled', label: 'Cancelled' };
  if (!report) return { kind: 'completed', state: 'ok', label: 'Completed' };
  return {
    kind: report.verdict,
    state: VERDICT_STATES[report.verdict] ?? 'unknown',
    label: VERDICTS[report.verdict] ?? report.verdict,
  };
}
