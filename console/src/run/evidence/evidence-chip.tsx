import { lineOf } from '../../model/event-words.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';

/** A tool result that a claim rests on; opens it. */
function EvidenceChip({ seq }: { seq: number }) {
  const { model, selected, actions } = useRunView();
  const event = model.at(seq);
  if (!event && model.terminal)
    return (
      <span className="evid" title="Its log is no longer kept">
        <b>#{seq}</b>
      </span>
    );
  return (
    <button
      className={`evid${selected === seq ? ' is-on' : ''}`}
      onClick={() => actions.pick(seq)}
      title={event ? lineOf(event) : 'Not read yet'}
    >
      <Icon name="eye" size={12} />
      <b>#{seq}</b>
      {event?.name === 'llm.tool_result' && <span>{event.data.tool}</span>}
    </button>
  );
}

/** Each result once; nothing if there is none. */
export function EvidenceRow({ evidence }: { evidence: readonly number[] }) {
  if (evidence.length === 0) return null;
  return (
    <p className="evidrow">
      {[...new Set(evidence)].map((seq) => (
        <EvidenceChip key={seq} seq={seq} />
      ))}
    </p>
  );
}
