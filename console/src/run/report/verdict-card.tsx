import { count } from '../../model/number.js';
import type { RunModel } from '../../model/run-model.js';
import { Glyph } from '../../ui/glyph.js';
import type { GlyphState } from '../../ui/glyph-state.js';
import { headlineAt } from '../header/headline.js';
import { useRunView } from '../run-context.js';

/** How a run without a root cause stands or has ended. */
export function VerdictCard({ found, measured }: { found: number; measured: number }) {
  const { model, seq } = useRunView();
  const ended = model.endedAt(seq);
  const { state, title, text } = ended ? endOf(model) : underWay(found, measured);
  return (
    <section className="verdict">
      <Glyph state={state} size={20} />
      <div>
        <h3>{title}</h3>
        {!(ended && text === headlineAt(model, seq)) && <p className="mute">{text}</p>}
      </div>
    </section>
  );
}

interface Verdict {
  state: GlyphState;
  title: string;
  text: string;
}

function underWay(found: number, measured: number): Verdict {
  const text =
    'Findings come as workers report. The conclusion comes last, when all of them are in.';
  if (found > 0)
    return {
      state: 'running',
      title: `${count(found, 'finding')} so far, no conclusion yet`,
      text,
    };
  const title =
    measured > 0 ? 'Something was measured; nothing is reported yet' : 'Nothing found so far';
  return { state: 'running', title, text };
}

function endOf({ terminal, report, started }: RunModel): Verdict {
  if (terminal?.name === 'lifecycle.cancelled')
    return {
      state: 'cancelled',
      title: 'Cancelled before a conclusion',
      text: terminal.data.reason,
    };
  if (terminal?.name === 'lifecycle.failed')
    return {
      state: 'failed',
      title: 'Failed before a conclusion',
      text: terminal.data.retryable
        ? 'The failure may have passed: run it again.'
        : 'Running it again will fail in the same way until this is repaired.',
    };
  const text = terminal?.name === 'lifecycle.completed' ? terminal.data.summary : '';
  if (started?.kind === 'chat') return { state: 'ok', title: 'Answered', text };
  switch (report?.verdict) {
    case 'healthy':
      return { state: 'ok', title: 'All checked nodes are healthy', text };
    case 'issues_found':
      return { state: 'warning', title: 'Issues, but no cause that explains them', text };
    default:
      return { state: 'inconclusive', title: 'Nothing can be concluded', text };
  }
}
