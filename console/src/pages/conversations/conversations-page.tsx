import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useRouteContext } from '@tanstack/react-router';
import { conversationsQuery } from '../../api/queries.js';
import { Ago } from '../../ui/ago.js';
import { Icon } from '../../ui/icon.js';
import { ListError } from '../../ui/list-error.js';
import { Skeleton } from '../../ui/skeleton.js';
import { Thread } from './thread.js';

/** The caller's conversations with the oracle, and one of them. */
export function ConversationsPage() {
  const { id } = useParams({ strict: false });
  const { thread = id } = useRouteContext({ strict: false });
  const fresh = { thread: crypto.randomUUID() };
  const query = useQuery(conversationsQuery());
  const { data, isPending, refetch } = query;
  const isEmpty = data?.items.length === 0;
  const classes = ['convs', id && 'has-open', isEmpty && 'is-empty'].filter(Boolean).join(' ');
  return (
    <main className={classes} id="main" tabIndex={-1}>
      <aside className="convlist" aria-label="Conversations">
        <header>
          <h1>Conversations</h1>
          <Link
            to="/conversations/$id"
            params={{ id: 'new' }}
            state={fresh}
            className="btn btn-small btn-accent"
            aria-label="New conversation"
          >
            <Icon name="plus" size={14} />
          </Link>
        </header>
        <ListError query={query} />
        {isPending && <Skeleton />}
        <ul className="plain">
          {data?.items.map((conversation) => (
            <li key={conversation.id}>
              <Link
                to="/conversations/$id"
                params={{ id: conversation.id }}
                className={`conv${conversation.id === id ? ' is-on' : ''}`}
                aria-current={conversation.id === id ? 'page' : undefined}
              >
                <b className="ellip">{conversation.title ?? 'Untitled'}</b>
                <span className="mute">
                  {conversation.running === null ? (
                    <Ago time={conversation.updatedAt} />
                  ) : (
                    'being answered'
                  )}
                  {conversation.topologyId !== null && `, topology ${conversation.topologyId}`}
                </span>
              </Link>
            </li>
          ))}
          {isEmpty && <li className="mute empty">None yet.</li>}
        </ul>
      </aside>
      {id ? (
        <Thread key={thread} id={id} thread={thread} onChange={() => void refetch()} />
      ) : (
        <section className="thread" aria-label="No conversation is open">
          <div className="emptybox">
            <Icon name="chat" size={30} />
            <h2>Ask the oracle</h2>
            <p className="mute">
              Ask about topologies, findings, their evidence and their times. It can start a
              diagnosis, too.
            </p>
            <Link
              to="/conversations/$id"
              params={{ id: 'new' }}
              state={fresh}
              className="btn btn-accent"
            >
              New conversation
            </Link>
          </div>
        </section>
      )}
    </main>
  );
}
