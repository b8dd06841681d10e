import { HttpAgent, type Message } from '@ag-ui/client';
import { useState, type FormEvent } from 'react';
import { createRoot } from 'react-dom/client';

/**
 * A page as a front end would have it: the protocol's own client shows messages, tool calls and
 * notices.
 */
function Chat({ threadId }: { threadId: string }) {
  const [agent] = useState(() => new HttpAgent({ url: '/api/service/v1/ag-ui', threadId }));
  const [messages, setMessages] = useState<Message[]>([]);
  const [notice, setNotice] = useState('');
  const [status, setStatus] = useState('ready');
  const [question, setQuestion] = useState('');

  async function ask(event: FormEvent): Promise<void> {
    event.preventDefault();
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: question });
    setQuestion('');
    setStatus('running');
    await agent.runAgent(undefined, {
      onMessagesChanged: (changed) => setMessages([...changed.messages]),
      onCustomEvent: ({ event }) => setNotice((event.value as { message?: string }).message ?? ''),
    });
    setStatus('ready');
  }

  return (
    <>
      {messages.map((message) => (
        <Shown key={message.id} message={message} />
      ))}
      <aside className="notice">{notice}</aside>
      <form onSubmit={(event) => void ask(event)}>
        <input
          aria-label="Message"
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <button>Send</button>
      </form>
      <output>{status}</output>
    </>
  );
}

function Shown({ message }: { message: Message }) {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const text = message.role !== 'tool' && typeof message.content === 'string' && message.content;
  return (
    <>
      {text && (
        <article data-role={message.role}>
          <p>{text}</p>
        </article>
      )}
      {calls.map((call) => (
        <aside key={call.id} className="tool">
          {call.function.name}
        </aside>
      ))}
    </>
  );
}

createRoot(document.querySelector('main') as Element).render(
  <Chat threadId={location.hash.slice(1)} />,
);
