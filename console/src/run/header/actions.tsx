import { useNavigate } from '@tanstack/react-router';
import { useRefusal } from '../../api/session.js';
import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';
import { Share } from './share.js';
import { useCancel, type CancelState } from './use-cancel.js';

/** What can be done with the run. */
export function Actions() {
  const { store, model, live, actions } = useRunView();
  const navigate = useNavigate();
  const [state, cancel] = useCancel(store);
  const refusal = useRefusal('runs:cancel');
  const noRepeat = useRefusal('runs:start');
  const again = (): void => {
    const { topology_id: topology, user_message: message } = model.started ?? {};
    void navigate({
      to: '/diagnose',
      search: { ...(topology && { topology }), ...(message && { message }) },
    });
  };
  return (
    <div className="hero-actions noprint">
      <Receipt state={state} sealedAt={model.terminal?.sequence} />
      <button className="btn" onClick={() => actions.setSide('ask')}>
        <Icon name="chat" size={14} />
        Ask
      </button>
      <Share />
      <button
        className="btn btn-icon"
        onClick={() => print()}
        aria-label="Print the report"
        title="Print the report"
      >
        <Icon name="print" size={14} />
      </button>
      {model.last === 0 ? (
        // Whether the run goes on is not known before its log is read.
        <span className="btn btn-unknown skeleton" aria-hidden="true" />
      ) : live ? (
        <button
          className="btn btn-danger"
          onClick={cancel}
          disabled={refusal !== undefined || state.state === 'asking' || state.state === 'sealed'}
          title={refusal}
        >
          <Icon name="stop" size={14} />
          Cancel
        </button>
      ) : (
        <button className="btn" onClick={again} disabled={noRepeat !== undefined} title={noRepeat}>
          <Icon name="replay" size={14} />
          Run again
        </button>
      )}
    </div>
  );
}

function Receipt({ state, sealedAt }: { state: CancelState; sealedAt: number | undefined }) {
  switch (state.state) {
    case 'idle':
      return null;
    case 'asking':
      return (
        <span className="receipt" role="status">
          <span className="spinner" />
          Sealing …
        </span>
      );
    case 'refused':
      return (
        <span className="receipt is-bad" role="alert">
          <Icon name="x" size={14} />
          {state.message}
        </span>
      );
    case 'sealed':
      return (
        <span className="receipt" role="status">
          <Icon name="check" size={14} />
          Sealed at #{sealedAt ?? '…'} in {duration(state.tookMs)}
          {state.quietMs === null
            ? state.stopping > 0 && `; ${state.stopping} still stopping …`
            : `; all work stopped ${duration(state.quietMs)} later`}
        </span>
      );
  }
}
