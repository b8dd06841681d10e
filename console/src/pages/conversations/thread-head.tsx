import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/http.js';
import { treeQuery } from '../../api/queries.js';
import { textOf } from '../../model/read.js';
import { Icon } from '../../ui/icon.js';

interface ThreadHeadProps {
  /** Null until the conversation has one. */
  session: string | null;
  title: string | undefined;
  onChange: () => void;
}

const LONGEST = 200;

/** The title of a conversation, which can be renamed and deleted. */
export function ThreadHead({ session, title = '', onChange }: ThreadHeadProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [mode, setMode] = useState<'shown' | 'renaming' | 'deleting'>('shown');
  const [fault, setFault] = useState<string | null>(null);
  const change = async (method: 'PATCH' | 'DELETE', body?: object): Promise<void> => {
    setFault(null);
    const { queryKey } = treeQuery(session ?? 'new');
    // A reading of it that is under way would answer that it is not there.
    await queries.cancelQueries({ queryKey });
    try {
      await call(method, `conversations/${session}`, { body });
    } catch (error) {
      setFault((error as Error).message);
      return;
    }
    onChange();
    if (method === 'DELETE') return void navigate({ to: '/conversations' });
    await queries.refetchQueries({ queryKey });
    setMode('shown');
  };
  return (
    <header className="thread-head">
      <Link to="/conversations" className="btn btn-small only-narrow">
        <Icon name="left" size={13} />
        All
      </Link>
      {mode === 'renaming' ? (
        <form
          className="thread-rename"
          onSubmit={(event) => {
            event.preventDefault();
            const text = textOf(new FormData(event.currentTarget).get('title')).trim();
            if (text !== '') void change('PATCH', { title: text });
          }}
        >
          <input
            autoFocus
            name="title"
            defaultValue={title}
            maxLength={LONGEST}
            aria-label="Title of the conversation"
            onKeyDown={(event) => event.key === 'Escape' && setMode('shown')}
          />
          <button className="btn btn-small btn-accent">Save</button>
          <button type="button" className="btn btn-small" onClick={() => setMode('shown')}>
            Cancel
          </button>
        </form>
      ) : (
        <h2 className="ellip grow">{title || 'New conversation'}</h2>
      )}
      {fault !== null && (
        <span className="fault" role="alert">
          {fault}
        </span>
      )}
      {session !== null && mode === 'shown' && (
        <>
          <button className="btn btn-small btn-ghost" onClick={() => setMode('renaming')}>
            Rename
          </button>
          <button className="btn btn-small btn-ghost" onClick={() => setMode('deleting')}>
            Delete
          </button>
        </>
      )}
      {mode === 'deleting' && (
        <span className="thread-sure" role="group" aria-label="Delete this conversation?">
          Delete it with all its branches?
          <button
            autoFocus
            className="btn btn-small btn-danger"
            onClick={() => void change('DELETE')}
          >
            Delete
          </button>
          <button className="btn btn-small" onClick={() => setMode('shown')}>
            Keep
          </button>
        </span>
      )}
    </header>
  );
}
