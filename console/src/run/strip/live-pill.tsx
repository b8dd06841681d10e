import { isLost } from '../../api/follow-run.js';
import { useRunView } from '../run-context.js';

/** Whether the page shows what is now. */
export function LivePill() {
  const { store, model, at, live, linked, quietSeconds, actions } = useRunView();
  if (at !== null)
    return (
      <button
        className="btn btn-accent btn-small"
        onClick={() => {
          actions.setPlaying(false);
          actions.seek(null);
        }}
        title="L"
      >
        {live ? 'Go live' : 'To the end'}
      </button>
    );
  if (!live) return <span className="pill pill-quiet">The end</span>;
  if (model.last === 0 && !isLost(store.link))
    return <span className="pill pill-quiet">Reading</span>;
  if (!linked)
    return (
      <span className="pill pill-off" role="status">
        <span className="spinner" />
        {store.link.state === 'offline' ? 'Offline' : 'Not connected'}
      </span>
    );
  if (quietSeconds > 0)
    return (
      <span className="pill pill-stale" role="status">
        Quiet for {quietSeconds} s
      </span>
    );
  return (
    <span className="pill pill-live">
      <span className="beat" />
      Live
    </span>
  );
}
