import { getRouteApi, useLocation } from '@tanstack/react-router';
import { lazy, useEffect, useRef, type ReactNode } from 'react';
import { DeadEnd } from '../ui/dead-end.js';
import { LazyPart, part } from '../ui/lazy-part.js';
import { Skeleton } from '../ui/skeleton.js';
import { useToast } from '../ui/use-toast.js';
import { Header } from './header/header.js';
import { NarrowTabs } from './narrow-tabs.js';
import { RunViewContext, type RunView } from './run-context.js';
import { Side } from './side.js';
import { Strip } from './strip/strip.js';
import { useCalm } from './use-calm.js';
import { usePageScroll } from './use-page-scroll.js';
import { useReplay } from './use-replay.js';
import { useRunActions } from './use-run-actions.js';
import { useRunClock } from './use-run-clock.js';
import { useRunKeys } from './use-run-keys.js';
import { useRunStore } from './use-run-store.js';
import { Views } from './views.js';
import { GraphPanel } from './graph/graph-panel.js';

const GonePage = lazy(
  part(() => import('./gone-page.js').then((module) => ({ default: module.GonePage }))),
);

const route = getRouteApi('/runs/$runId');

export function RunPage() {
  const { runId } = route.useParams();
  return <Run key={runId} runId={runId} />;
}

function Run({ runId }: { runId: string }) {
  const [toast, toastPlace] = useToast();
  const view = useView(runId, toast);
  useReplay(view);
  useRunKeys(view);
  usePageScroll(view);
  const { store, model, live, linked, narrow } = view;
  if (store.link.state === 'missing')
    return (
      <DeadEnd
        title="There is no such run"
        text="The link may be cut short, or the run belongs to another caller's conversation."
        code="RUN_NOT_FOUND"
      />
    );
  if (store.link.state === 'gone' && model.last === 0)
    return (
      <LazyPart fallback={<Skeleton />}>
        <GonePage runId={runId} view={view} />
      </LazyPart>
    );
  const classes = ['run', live && 'is-live', live && !linked && 'is-off', `m-${narrow}`];
  return (
    <RunViewContext value={view}>
      <main className={classes.filter(Boolean).join(' ')} id="main" tabIndex={-1}>
        <Calm view={view}>
          <Header />
        </Calm>
        <Calm view={view} replays>
          <Strip />
        </Calm>
        <NarrowTabs />
        <div className="work">
          <div className="left">
            {model.started?.kind !== 'chat' && (
              <Calm view={view}>
                <GraphPanel />
              </Calm>
            )}
            <Views />
          </div>
          <Calm view={view}>
            <Side />
          </Calm>
        </div>
        {toastPlace}
      </main>
    </RunViewContext>
  );
}

interface CalmProps {
  view: RunView;
  /** Whether it shows each step of a replay. */
  replays?: boolean;
  children: ReactNode;
}

/** A part of the page that is read, and not watched. */
function Calm({ view, replays = false, children }: CalmProps) {
  const calm = useCalm(view);
  return (
    <RunViewContext value={replays && view.at !== null ? view : calm}>{children}</RunViewContext>
  );
}

function useView(runId: string, toast: (text: string) => void): RunView {
  const store = useRunStore(runId);
  const { model } = store;
  const search = route.useSearch();
  const hash = useLocation({ select: (location) => location.hash });
  const selected = /^\d+$/.test(hash) ? Number(hash) : null;
  const node = search.node ?? null;
  const picks = selected !== null || node !== null;
  const [state, actions] = useRunActions(
    {
      side: picks ? 'detail' : 'report',
      narrow: search.view === 'log' && !picks ? 'log' : 'report',
    },
    toast,
  );
  const picked = useRef(picks);
  useEffect(() => {
    // Back, too, picks and unpicks.
    if (picks) actions.setSide('detail');
    else if (picked.current) actions.unpicked();
    picked.current = picks;
  }, [picks, selected, node, actions]);
  const wanted = state.replayAt === undefined ? (search.at ?? null) : state.replayAt;
  // Of a run that has ended, no event comes after the last one: the address is of its end.
  const isBeyond = model.terminal !== null && wanted !== null && wanted > model.last;
  useEffect(() => {
    if (isBeyond) actions.seek(null);
  }, [isBeyond, actions]);
  const at = wanted === null || isBeyond ? null : Math.min(wanted, Math.max(1, model.last));
  return {
    ...state,
    store,
    model,
    at,
    seq: at ?? model.last,
    live: store.isLive,
    linked: store.link.state === 'open' || store.link.state === 'ended',
    ...useRunClock(store, at),
    selected,
    node,
    view: search.view === 'log' ? 'log' : 'timeline',
    filter: search.show ?? null,
    mode: search.mode ?? null,
    text: search.q ?? '',
    actions,
  };
}
