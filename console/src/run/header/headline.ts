import type { RunModel } from '../../model/run-model.js';
import { count } from '../../model/number.js';
import { claimText } from '../../model/view/cause-text.js';
import { causesAt, findingsAt, measuredAt } from '../../model/view/findings-at.js';

const NAMED = 3;

/** The bottom line of a run as it was at `seq`. */
export function headlineAt(model: RunModel, seq: number): string {
  const [cause, ...others] = causesAt(model, seq);
  if (cause) {
    // Without its log, names are only in the headline of the report.
    if (!model.nodes.has(cause.node) && model.report?.headline) return model.report.headline;
    // The pill beside it says that this is the root cause; the line below names the others.
    const more = others.length > 0 ? ` (and ${count(others.length, 'more root cause')})` : '';
    return `${claimText(model, cause)}${more}`;
  }
  const [worst] = [...findingsAt(model, seq), ...measuredAt(model, seq)];
  const found = worst ? `${model.nameOf(worst.node)} ${worst.title}` : '';
  if (model.endedAt(seq)) return headlineOfEnd(model, found);
  if (model.started?.kind === 'chat') return model.started.user_message;
  if (found) return `So far: ${found}`;
  const looked = [...model.nodes.values()].filter(({ id }) => model.examiner(id, seq));
  if (looked.length === 0) return 'Deciding which agents to send …';
  const names = looked.slice(0, NAMED).map(({ name }) => name);
  const more = looked.length - names.length;
  return `Looking at ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''} …`;
}

function headlineOfEnd({ terminal, report, started }: RunModel, found: string): string {
  switch (terminal?.name) {
    case 'lifecycle.failed':
      return terminal.data.error;
    case 'lifecycle.cancelled':
      return found ? `Cancelled. Until then: ${found}` : 'Cancelled before anything was found';
    case 'lifecycle.completed':
      if (started?.kind === 'chat') return started.user_message;
      if (report?.headline) return report.headline;
      if (report?.verdict === 'healthy') return 'Nothing is wrong';
      return report?.verdict === 'issues_found' && found ? found : terminal.data.summary;
    default:
      return '';
  }
}
