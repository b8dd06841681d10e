import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';
import { questionsFor } from '../ask/questions.js';

/** Questions to the oracle that fit the report. */
export function AskOn({ cause }: { cause: string | undefined }) {
  const { model, actions } = useRunView();
  return (
    <section className="noprint">
      <h3 className="h-part">Ask on</h3>
      <div className="asks">
        {questionsFor(cause === undefined ? undefined : model.nameOf(cause)).map((question) => (
          <button key={question} className="ask" onClick={() => actions.ask(question)}>
            <Icon name="chat" size={13} />
            {question}
          </button>
        ))}
      </div>
    </section>
  );
}
