import { LOG_FILTERS, type LogMode } from '../../app/search.js';
import { Icon } from '../../ui/icon.js';
import { useTypedText } from '../../ui/use-typed-text.js';
import { useRunView } from '../run-context.js';

const LABELS = {
  problems: 'Problems',
  tools: 'Tools',
  dispatch: 'Dispatch',
  model: 'Model',
  system: 'System',
};
const MODES: [LogMode | null, string][] = [
  [null, 'Compact'],
  ['all', 'Every event'],
  ['json', 'JSON'],
];

/** What the log shows: filter, search, a number to go to, and how. */
export function LogBar() {
  const { model, filter, mode, actions } = useRunView();
  return (
    <div className="logbar" role="group" aria-label="Filters of the log">
      <div className="seg">
        <button
          aria-pressed={filter === null}
          className={filter === null ? 'is-on' : ''}
          onClick={() => actions.setFilter(null)}
        >
          All
        </button>
        {LOG_FILTERS.map((name) => (
          <button
            key={name}
            aria-pressed={filter === name}
            className={filter === name ? 'is-on' : ''}
            onClick={() => actions.setFilter(name)}
          >
            {LABELS[name]}
            {name === 'problems' && model.problems > 0 && <b className="count">{model.problems}</b>}
          </button>
        ))}
      </div>
      <Search />
      <form
        className="field field-seek"
        onSubmit={(event) => {
          event.preventDefault();
          const to = Number(new FormData(event.currentTarget).get('seq'));
          if (Number.isInteger(to) && to > 0) actions.pick(to);
        }}
      >
        <span aria-hidden="true">#</span>
        <input name="seq" inputMode="numeric" placeholder="go to" aria-label="Go to event number" />
      </form>
      <div className="seg seg-right">
        {MODES.map(([value, label]) => (
          <button
            key={label}
            aria-pressed={mode === value}
            className={mode === value ? 'is-on' : ''}
            onClick={() => actions.setMode(value)}
          >
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}

function Search() {
  const { text, actions } = useRunView();
  const [typed, setTyped] = useTypedText(text, actions.setText);
  return (
    <label className="field field-search">
      <Icon name="search" size={13} />
      <input
        id="log-search"
        placeholder="Search"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        aria-label="Search in the log"
      />
      <kbd>/</kbd>
    </label>
  );
}
