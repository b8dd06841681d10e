import { useMemo } from 'react';
import type { EventOf } from '../../model/types.js';
import { turnTextOf, type TurnText } from '../../model/view/turn-text.js';
import { ContextBar } from '../../ui/context-bar.js';
import { Disclosure } from '../../ui/disclosure.js';
import { number } from '../../model/number.js';
import { cost, shortNumber, spentText } from '../../ui/format.js';
import { useRunView } from '../run-context.js';

interface TurnBodyProps {
  event: EventOf<'llm.stream'> | EventOf<'llm.reasoning'> | EventOf<'llm.usage'>;
}

/** What a model thought and said in a turn, and what that took. */
export function TurnBody({ event }: TurnBodyProps) {
  const { model, live } = useRunView();
  const text = useMemo(() => turnTextOf(model, event), [model, event, live ? model.last : 0]);
  const row = model.rows.get(event.data.dispatch_id ?? '');
  const spent = row?.usage.find((usage) => usage.seq === event.sequence);
  return (
    <>
      {text.reasoning && (
        <Disclosure
          title="Reasoning"
          count={`${shortNumber(text.reasoning.length)} characters`}
          open={event.name === 'llm.reasoning'}
        >
          <p className="reasoning">{text.reasoning}</p>
        </Disclosure>
      )}
      {text.said && (
        <div className={`bubble bubble-${row?.role ?? event.source?.agent_type}`}>{text.said}</div>
      )}
      {text.usage && <Usage usage={text.usage} />}
      {row && spent && (
        <p className="mute">
          {row.name} until then: {spentText(spent)}
        </p>
      )}
    </>
  );
}

function Usage({ usage }: { usage: NonNullable<TurnText['usage']> }) {
  return (
    <div className="usage">
      <p className="facts">
        <span>{usage.model}</span>
        <span>{number(usage.input_tokens)} in</span>
        <span>{number(usage.output_tokens)} out</span>
        {usage.cost !== undefined && <span>cost {cost(usage.cost)}</span>}
        <span>{usage.finish_reason}</span>
        {usage.estimated && <span className="warn">estimated</span>}
      </p>
      {usage.context_tokens > 0 && usage.max_context_tokens > 0 && (
        <ContextBar used={usage.context_tokens} most={usage.max_context_tokens} />
      )}
    </div>
  );
}
