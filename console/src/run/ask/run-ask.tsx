import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { treeQuery } from '../../api/queries.js';
import { Composer, focusQuestion } from '../../chat/composer.js';
import { CitedText } from '../../chat/cited-text.js';
import { wayTo } from '../../chat/past-turn.js';
import { TurnView } from '../../chat/turn-view.js';
import { useChat } from '../../chat/use-chat.js';
import { useLogEnd } from '../../chat/use-log-end.js';
import { causesAt } from '../../model/view/findings-at.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';
import { questionsFor } from './questions.js';

const keyOf = (runId: string): string => `console:chat:${runId}`;

function storedSession(runId: string): string | null {
  try {
    return localStorage.getItem(keyOf(runId));
  } catch {
    return null;
  }
}

function storeSession(runId: string, session: string): void {
  try {
    localStorage.setItem(keyOf(runId), session);
  } catch {
    // Storage may be denied; the conversation is found under Conversations.
  }
}

/** A conversation about this run; its session is kept by run. */
export function RunAsk() {
  const { store, model, seq, question, actions } = useRunView();
  const { runId } = store;
  const navigate = useNavigate();
  const [session, setSession] = useState(() => storedSession(runId));
  const [before] = useState(session);
  const past = useQuery({ ...treeQuery(before ?? 'new'), retry: false }).data;
  const chat = useChat({
    sessionId: session,
    runId,
    topologyId: model.started?.topology_id,
    onSession: (id) => {
      setSession(id);
      storeSession(runId, id);
    },
    onNavigate: (page) => void navigate({ href: `/${page}` }),
  });
  const { send, turns } = chat;
  useEffect(() => {
    if (question === null) return;
    actions.questionTaken();
    send(question);
  }, [question, actions, send]);
  const way = past ? wayTo(past.nodes, past.head) : [];
  const log = useLogEnd(turns, way.length);
  const [cause] = causesAt(model, seq);
  return (
    <div className="chat">
      <div
        className="chatlog"
        ref={log}
        role="log"
        aria-label="Conversation with the oracle"
        tabIndex={0}
      >
        {way.map(({ id, question: asked, answer, partial, status, error }) => (
          <div key={id} className="turn">
            <div className="msg msg-me">
              <p>{asked.replace(` (run ${runId})`, '')}</p>
            </div>
            <div className="msg msg-oracle">
              <div className="said">
                <CitedText text={answer} runId={runId} />
              </div>
              {status === 'running' && <p className="mute stopped">The oracle is at work.</p>}
              {partial && status !== 'running' && (
                <p className="mute stopped">
                  {answer === '' ? (error ?? 'There is no answer.') : 'The answer so far is kept.'}
                </p>
              )}
            </div>
          </div>
        ))}
        {turns.map((turn) => (
          <TurnView key={turn.id} turn={turn} runId={runId} onRetry={send} />
        ))}
        {way.length + turns.length === 0 && (
          <div className="chat-empty">
            <p className="chat-hello">Ask about this run</p>
            <p className="mute">
              The oracle reads the report and the log and cites what it says. It changes nothing.
            </p>
            <div className="asks">
              {questionsFor(cause && model.nameOf(cause.node)).map((text) => (
                <button
                  key={text}
                  className="ask"
                  onClick={() => {
                    send(text);
                    focusQuestion();
                  }}
                >
                  <Icon name="chat" size={13} />
                  {text}
                </button>
              ))}
            </div>
          </div>
        )}
      </div>
      <Composer chat={chat} onSend={send} />
    </div>
  );
}
