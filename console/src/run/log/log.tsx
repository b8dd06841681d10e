import { useMemo } from 'react';
import { LogLines } from '../../model/log-lines.js';
import { number } from '../../model/number.js';
import { useRunView } from '../run-context.js';
import { LogBar } from './log-bar.js';
import { LogList } from './log-list.js';

/** Every event of the run, filtered. */
export function Log() {
  const { model, mode, filter, node, text, actions } = useRunView();
  const index = useMemo(
    () => new LogLines({ mode: mode ?? 'compact', show: filter ?? 'all', node, text }),
    [model, mode, filter, node, text],
  );
  const lines = index.update(model);
  return (
    <div className="log">
      <LogBar />
      <LogList lines={lines} size={lines.length} />
      {lines.length === 0 && (
        <p className="empty">
          {model.last === 0 ? 'No event yet.' : `None of the ${number(model.last)} events fits.`}{' '}
          {(filter !== null || text !== '') && (
            <button
              className="linkish"
              onClick={() => {
                actions.setFilter(null);
                actions.setText('');
              }}
            >
              Show all
            </button>
          )}
        </p>
      )}
    </div>
  );
}
