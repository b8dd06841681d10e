import type { LogEvent } from '../../model/types.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';

/** An event as JSON, with Copy. */
export function EventJson({ event }: { event: LogEvent }) {
  const { actions } = useRunView();
  const { time: _time, name: _name, ...frame } = event;
  const text = JSON.stringify(frame, null, 2);
  return (
    <div className="json">
      <button
        className="btn btn-ghost btn-small"
        onClick={() => {
          void navigator.clipboard?.writeText(text);
          actions.toast('Event copied');
        }}
      >
        <Icon name="copy" size={13} /> Copy
      </button>
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
