import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { isStoreAway } from '../../api/http.js';
import { readinessQuery } from '../../api/queries.js';
import { number } from '../../model/number.js';
import { AllowedLink } from '../../ui/allowed-link.js';
import { Icon } from '../../ui/icon.js';
import { ListError } from '../../ui/list-error.js';
import { useKeys } from '../../ui/use-keys.js';
import { useNow } from '../../ui/use-now.js';
import { Filters } from './filters.js';
import { OutcomeStrip } from './outcome-strip.js';
import { RunRow } from './run-row.js';
import { useRunChanges } from './use-run-changes.js';
import { useRuns } from './use-runs.js';

const route = getRouteApi('/runs');

const ROW_HEIGHT = 53;
/** Rows of runs that go on are refreshed so often, others seldom; ms. */
const BUSY_MS = 250;
const IDLE_MS = 10_000;
/** While changes are streamed, the list is read again only to be sure; ms. */
const LINKED_POLL_MS = 60_000;

/** All runs, newest first, live. */
export function RunsPage() {
  const search = route.useSearch();
  const linked = useRunChanges();
  const { error: refused } = useQuery(readinessQuery());
  const outage = isStoreAway(refused) ? refused : null;
  const { query, runs } = useRuns(search, linked && !outage ? LINKED_POLL_MS : undefined);
  const error = query.error ?? outage;
  const open = runs.filter(({ run }) => !run.endedAt).length;
  // What runs is not known while the list cannot be read: its clocks stand.
  const now = useNow(open > 0 ? BUSY_MS : IDLE_MS, error === null);
  /** By id: runs that begin meanwhile move the rows, not the choice. */
  const [chosen, setChosen] = useState<string | null>(null);
  const cursor = Math.max(
    0,
    runs.findIndex(({ run }) => run.runId === chosen),
  );
  const page = useRef<HTMLElement>(null);
  const table = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: runs.length,
    getScrollElement: () => page.current,
    estimateSize: () => ROW_HEIGHT,
    scrollMargin: table.current?.offsetTop ?? 0,
    overscan: 12,
  });
  const navigate = useNavigate();
  const move = (by: number): void => {
    const to = Math.max(0, Math.min(runs.length - 1, cursor + by));
    setChosen(runs[to]?.run.runId ?? null);
    list.scrollToIndex(to, { align: 'auto' });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      const { run } = runs[cursor] ?? {};
      if (run) void navigate({ to: '/runs/$runId', params: { runId: run.runId } });
    },
    '/': () => document.getElementById('runs-search')?.focus(),
  });
  useEffect(() => setChosen(null), [search]);
  const { data } = query;
  return (
    <main className={error === null ? 'pad' : 'pad is-off'} id="main" tabIndex={-1} ref={page}>
      <header className="pagehead">
        <h1>Runs</h1>
        {open > 0 &&
          (error === null ? (
            <span className="pill pill-live">
              <span className="beat" />
              {open} at work
            </span>
          ) : (
            <span className="pill pill-quiet">{open} at work when last seen</span>
          ))}
        <span className="grow" />
        <AllowedLink action="runs:start" to="/diagnose" className="btn btn-accent">
          <Icon name="plus" size={15} />
          Diagnose
        </AllowedLink>
      </header>
      <OutcomeStrip runs={runs} isKnown={data !== undefined} now={now} />
      <Filters />
      <ListError query={query} error={error} />
      <div className="rtable" role="table" aria-label="Runs" aria-rowcount={runs.length + 1}>
        <div className="rrow rhead" role="row" aria-rowindex={1}>
          <span role="columnheader">Outcome</span>
          <span role="columnheader">What was found, what was asked</span>
          <span role="columnheader">Topology</span>
          <span role="columnheader" className="r">
            Started
          </span>
          <span role="columnheader" className="r">
            Time
          </span>
          <span role="columnheader" className="r">
            Cost
          </span>
          <span role="columnheader" className="r">
            Events
          </span>
        </div>
        {query.isPending && <Skeletons />}
        <div ref={table} role="rowgroup" className="rbody" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const listed = runs[index];
            return (
              listed && (
                <RunRow
                  key={listed.run.runId}
                  listed={listed}
                  index={index}
                  top={start - list.options.scrollMargin}
                  measure={list.measureElement}
                  now={now}
                  current={index === cursor}
                  onEnter={setChosen}
                />
              )
            );
          })}
        </div>
      </div>
      {data && runs.length === 0 && <Empty />}
      {data?.nextCursor && (
        <p className="mute center">
          The latest {number(data.items.length)} are shown. Filters apply to all.
        </p>
      )}
    </main>
  );
}

function Skeletons() {
  return (
    <div aria-label="Loading" role="rowgroup">
      {Array.from({ length: 8 }, (_, i) => (
        <div key={i} className="rrow" role="row">
          <span
            role="cell"
            className="skeleton skeleton-line"
            style={{ width: `${80 - i * 5}%` }}
          />
        </div>
      ))}
    </div>
  );
}

function Empty() {
  const { status, topology, q, kind } = route.useSearch();
  const filtered = Boolean(status ?? topology ?? q ?? kind);
  if (filtered)
    return (
      <div className="emptybox">
        <Icon name="runs" size={30} />
        <h2>No run fits</h2>
        <p className="mute">Remove a filter to see more.</p>
        <Link to="/runs" search={{}} className="btn">
          Clear the filters
        </Link>
      </div>
    );
  return (
    <div className="emptybox">
      <Icon name="runs" size={30} />
      <h2>Nothing was diagnosed yet</h2>
      <p className="mute">
        Say what is wrong, and with which topology. Agents measure, and report what they found and
        on what grounds.
      </p>
      <AllowedLink action="runs:start" to="/diagnose" className="btn btn-accent">
        Start a diagnosis
      </AllowedLink>
    </div>
  );
}
