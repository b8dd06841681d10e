import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { topologiesQuery } from '../../api/queries.js';
import { runsSearch, type RunsSearch } from '../../app/search.js';
import { Icon } from '../../ui/icon.js';
import { useTypedText } from '../../ui/use-typed-text.js';

const route = getRouteApi('/runs');

const STATUSES = ['running', 'queued', 'completed', 'failed', 'cancelled'];
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Which runs are shown; kept in the address. */
export function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const topologies = useQuery(topologiesQuery()).data?.items ?? [];
  const set = (part: { [K in keyof RunsSearch]: RunsSearch[K] | undefined | string }): void =>
    void navigate({ search: (old) => runsSearch({ ...old, ...part }), replace: true });
  const [typed, setTyped] = useTypedText(search.q ?? '', (q) => set({ q: q || undefined }));
  return (
    <div className="filters" role="group" aria-label="Filters">
      <div className="seg">
        {['', ...STATUSES].map((status) => (
          <button
            key={status}
            aria-pressed={(search.status ?? '') === status}
            className={(search.status ?? '') === status ? 'is-on' : ''}
            onClick={() => set({ status: status || undefined })}
          >
            {capital(status) || 'All'}
          </button>
        ))}
      </div>
      <label className="field">
        <span className="sr">Kind</span>
        <select
          value={search.kind ?? 'diagnosis'}
          onChange={(event) => set({ kind: event.target.value })}
        >
          <option value="diagnosis">Diagnoses</option>
          <option value="chat">Answers of the oracle</option>
          <option value="all">Both</option>
        </select>
      </label>
      <label className="field">
        <span className="sr">Topology</span>
        <select
          value={search.topology ?? ''}
          onChange={(event) => set({ topology: Number(event.target.value) || undefined })}
        >
          <option value="">Every topology</option>
          {topologies.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="field field-search">
        <Icon name="search" size={13} />
        <input
          id="runs-search"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          placeholder="Question, finding or id"
          aria-label="Search in runs"
        />
        <kbd>/</kbd>
      </label>
    </div>
  );
}
