import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { isNotThere } from '../../api/http.js';
import { topologiesQuery, treeQuery } from '../../api/queries.js';
import type { ConversationNode } from '../../api/types.js';
import { Composer, focusQuestion } from '../../chat/composer.js';
import { wayTo } from '../../chat/past-turn.js';
import { TurnView } from '../../chat/turn-view.js';
import { useChat } from '../../chat/use-chat.js';
import { useLogEnd } from '../../chat/use-log-end.js';
import { DeadEnd } from '../../ui/dead-end.js';
import { Icon } from '../../ui/icon.js';
import { ListError } from '../../ui/list-error.js';
import { Branches } from './branches.js';
import { PastTurn } from './past-turn.js';
import { ThreadHead } from './thread-head.js';
import { TurnFoot } from './turn-foot.js';

const FIRST_QUESTIONS = [
  'What was the last root cause?',
  'Which runs failed?',
  'List the topologies',
  'Compare the last two runs',
];

interface ThreadProps {
  id: string;
  /** In the state of the address. */
  thread: string | undefined;
  onChange: () => void;
}

/** One conversation: the way to an exchange, its branches, and what is being said. */
export function Thread({ id, thread, onChange }: ThreadProps) {
  const isNew = id === 'new';
  const navigate = useNavigate();
  /** The exchange that is shown last, and gone on from; null: as the conversation stands. */
  const [from, setFrom] = useState<string | null>(null);
  const [begun, setBegun] = useState<string | null>(null);
  const session = isNew ? begun : id;
  const tree = useQuery(treeQuery(session ?? 'new'));
  const [topology, setTopology] = useState('');
  const nodes = tree.data?.nodes ?? [];
  const way = useMemo(
    () => wayTo(nodes, from ?? tree.data?.head ?? null),
    [nodes, from, tree.data],
  );
  const chat = useChat({
    sessionId: session,
    topologyId: Number(topology) || null,
    onSession: (named) => {
      setBegun(named);
      if (!isNew) return;
      const params = { id: named };
      void navigate({ to: '/conversations/$id', params, replace: true, state: { thread } });
    },
    onNavigate: (page) => void navigate({ href: `/${page}` }),
    onEnd: () => {
      onChange();
      void tree.refetch();
    },
  });
  const { turns, send } = chat;
  /** Exchanges of this page are shown with their steps. */
  const isLive = ({ runId }: ConversationNode): boolean =>
    turns.some((turn) => turn.runId === runId);
  /** After the exchange that is shown last, also where the conversation has gone on elsewhere. */
  const ask = (question: string): void => {
    const shown = nodes.findLast(({ runId }) => turns.some((turn) => turn.runId === runId));
    send(question, shown?.id ?? from ?? undefined);
  };
  const offer = (question: string): void => {
    ask(question);
    focusQuestion();
  };
  const show = (leaf: string): void => {
    setFrom(leaf);
    chat.clear();
  };
  const fork = (after: string): void => {
    show(after);
    focusQuestion();
  };
  const log = useLogEnd(turns, way.length);
  if (isNotThere(tree.error))
    return (
      <DeadEnd
        title="There is no such conversation"
        text="It may have been deleted, or belong to another caller."
        code="NOT_FOUND"
        way={{ to: '/conversations', label: 'All conversations' }}
        isPart
      />
    );
  return (
    <section className="thread" aria-label="Conversation">
      <ThreadHead session={session} title={tree.data?.title ?? undefined} onChange={onChange} />
      <ListError query={tree} />
      <div className="threadlog" ref={log} role="log" aria-label="Messages" tabIndex={0}>
        {way
          .filter((node) => !isLive(node))
          .map((node) => (
            <PastTurn
              key={node.id}
              node={node}
              nodes={nodes}
              onBranch={show}
              onFork={() => fork(node.id)}
            />
          ))}
        {turns.map((turn) => {
          const node = nodes.find(({ runId }) => runId === turn.runId);
          return (
            <TurnView
              key={turn.id}
              turn={turn}
              onRetry={ask}
              foot={
                node &&
                node.status !== 'running' && <TurnFoot node={node} onFork={() => fork(node.id)} />
              }
            >
              {node && <Branches node={node} nodes={nodes} onBranch={show} />}
            </TurnView>
          );
        })}
        {isNew && turns.length === 0 && (
          <div className="emptybox">
            <Icon name="chat" size={30} />
            <h2>Ask the oracle</h2>
            <div className="asks">
              {FIRST_QUESTIONS.map((question) => (
                <button key={question} className="ask" onClick={() => offer(question)}>
                  <Icon name="chat" size={13} />
                  {question}
                </button>
              ))}
            </div>
          </div>
        )}
      </div>
      {turns.length === 0 && nodes.some(({ parentId }) => parentId === from) && (
        <p className="mute branch-note">
          The next question begins a branch after this answer.{' '}
          <button className="linkish" onClick={() => setFrom(null)}>
            Back to the latest answer
          </button>
        </p>
      )}
      <Composer chat={chat} onSend={ask}>
        {isNew && <TopologyPick value={topology} onChange={setTopology} />}
      </Composer>
    </section>
  );
}

function TopologyPick({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const topologies = useQuery(topologiesQuery()).data?.items ?? [];
  return (
    <label className="field">
      <span className="sr">About which topology</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">No topology</option>
        {topologies.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
