import { Icon } from '../../ui/icon.js';
import { focusWhenThere } from '../../ui/focus-when-there.js';
import { useRunView } from '../run-context.js';
import { questionsFor } from '../ask/questions.js';
import { Part } from './part.js';

/** Questions to the oracle that fit the report. */
export function AskOn({ cause }: { cause: string | undefined }) {
  const { model, actions } = useRunView();
  return (
    <Part title="Ask on" className="noprint">
      <div className="asks">
        {questionsFor(cause === undefined ? undefined : model.nameOf(cause)).map((question) => (
          <button
            key={question}
            className="ask"
            onClick={() => {
              actions.ask(question);
              focusWhenThere('ask');
            }}
          >
            <Icon name="chat" size={13} />
            {question}
          </button>
        ))}
      </div>
    </Part>
  );
}
