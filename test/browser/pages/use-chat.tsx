import { useChat, type UIMessage } from '@ai-sdk/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

/**
 * A page as a front end would have it: `useChat` with its defaults, so that it posts to `/api/chat`
 * of where it comes from.
 */
function Chat({ id }: { id: string }) {
  const { messages, sendMessage, regenerate, status, error } = useChat({ id, resume: true });
  const [question, setQuestion] = useState('');
  const ask = (event: { preventDefault(): void }) => {
    event.preventDefault();
    void sendMessage({ text: question });
    setQuestion('');
  };
  return (
    <>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {message.parts.map((part, i) => (
            <Part key={i} part={part} />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={ask}>
        <input
          aria-label="Message"
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <button>Send</button>
        <button type="button" onClick={() => void regenerate()}>
          Again
        </button>
      </form>
      <output>{status}</output>
    </>
  );
}

function Part({ part }: { part: UIMessage['parts'][number] }) {
  switch (part.type) {
    case 'text':
      return <p>{part.text}</p>;
    case 'dynamic-tool':
      return (
        <aside className="tool">
          {part.toolName}: {part.state}
        </aside>
      );
    case 'source-document':
      return <aside className="source">{part.title}</aside>;
    case 'data-notice':
      return <aside className="notice">{(part.data as { message: string }).message}</aside>;
    default:
      return null;
  }
}

createRoot(document.querySelector('main') as Element).render(<Chat id={location.hash.slice(1)} />);
