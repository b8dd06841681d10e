import { useState, type ReactNode } from 'react';
import { ContextBar } from '../ui/context-bar.js';
import { Icon } from '../ui/icon.js';
import type { Chat } from './use-chat.js';

interface ComposerProps {
  chat: Chat;
  onSend: (question: string) => void;
  /** Before the text field. */
  children?: ReactNode;
}

const LONGEST = 10_000;
const FIELD = 'ask';

/**
 * Moves the focus to the field of the question, if it is in sight: after a button that is removed
 * when it is used, the next keys would go to the page.
 */
export const focusQuestion = (): void => document.getElementById(FIELD)?.focus();

/** Where a question is written. Enter sends, Shift+Enter begins a line. */
export function Composer({ chat, onSend, children }: ComposerProps) {
  const [text, setText] = useState('');
  const last = chat.turns.at(-1);
  const send = (): void => {
    // Another question would cancel the answer that is under way: Stop is for that.
    if (chat.running || text.trim() === '') return;
    onSend(text);
    setText('');
  };
  return (
    <form
      className="composer noprint"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {last && last.contextTokens > 0 && last.contextMax > 0 && (
        <ContextBar used={last.contextTokens} most={last.contextMax} />
      )}
      <div className="composer-row">
        {children}
        <textarea
          id={FIELD}
          rows={1}
          maxLength={LONGEST}
          placeholder="Ask the oracle"
          aria-label="Question to the oracle"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            // The Enter that takes a word of an input method writes it, and sends nothing.
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {chat.running ? (
          <button
            type="button"
            className="btn btn-stop"
            onClick={chat.stop}
            aria-label="Stop the answer"
          >
            <Icon name="stop" size={14} filled />
          </button>
        ) : (
          <button className="btn btn-accent" disabled={text.trim() === ''} aria-label="Send">
            <Icon name="send" size={15} />
          </button>
        )}
      </div>
    </form>
  );
}
