import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { RunSearch } from '../app/search.js';
import type { NarrowTab, RunActions, SideTab } from './run-context.js';

/** Shortest time between two changes of the address by a replay; browsers refuse more. */
const ADDRESS_MS = 300;

export interface RunPageState {
  /**
   * Where the replay stands, ahead of the address while it runs; undefined: as the address says.
   */
  replayAt: number | null | undefined;
  side: SideTab;
  narrow: NarrowTab;
  /** The part of a narrow page in which something was picked. */
  pickedIn: NarrowTab;
  playing: boolean;
  speed: number;
  question: string | null;
}

/** What can be done on the page of a run, and the state that is not in its address. */
export function useRunActions(
  start: Pick<RunPageState, 'side' | 'narrow'>,
  toast: (text: string) => void,
): [RunPageState, RunActions] {
  const navigate = useNavigate({ from: '/runs/$runId' });
  const [state, setState] = useState<RunPageState>({
    ...start,
    pickedIn: 'report',
    replayAt: undefined,
    playing: false,
    speed: 4,
    question: null,
  });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const actions = useMemo((): RunActions => {
    const merge = (part: Partial<RunPageState>): void => setState((old) => ({ ...old, ...part }));
    const showPicked = (): void =>
      setState((old) => ({
        ...old,
        side: 'detail',
        narrow: 'report',
        // One piece of evidence after the other is picked where the first one was.
        pickedIn: old.side === 'detail' && old.narrow === 'report' ? old.pickedIn : old.narrow,
      }));
    const address = (
      search: { [K in keyof RunSearch]?: RunSearch[K] | undefined },
      hash?: string,
    ): Promise<void> =>
      navigate({
        search: (old) =>
          Object.fromEntries(
            Object.entries({ ...old, ...search }).filter(([, value]) => value !== undefined),
          ),
        hash: hash ?? true,
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      });
    const visit = (search: { node: string | undefined }, hash: string) =>
      void navigate({
        search: ({ node: _, ...old }) => ({
          ...old,
          ...(search.node !== undefined && { node: search.node }),
        }),
        hash,
        resetScroll: false,
        hashScrollIntoView: false,
      });
    return {
      seek: (seq) => {
        merge({ replayAt: seq });
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          // Until the address has it, the position before must not be shown again.
          void address({ at: seq ?? undefined }).then(() =>
            setState((old) => (old.replayAt === seq ? { ...old, replayAt: undefined } : old)),
          );
        }, ADDRESS_MS);
      },
      pick: (seq) => {
        visit({ node: undefined }, String(seq));
        showPicked();
      },
      pickNode: (id) => {
        visit({ node: id ?? undefined }, '');
        if (id === null) merge({ side: 'report' });
        else showPicked();
      },
      unpicked: () =>
        setState((old) =>
          old.side === 'detail' ? { ...old, side: 'report', narrow: old.pickedIn } : old,
        ),
      leave: () => {
        visit({ node: undefined }, '');
        merge({ side: 'report' });
      },
      setView: (view) => {
        void address({ view: view === 'log' ? 'log' : undefined });
        merge({ narrow: view });
      },
      setFilter: (filter) => void address({ show: filter ?? undefined }),
      setMode: (mode) => void address({ mode: mode ?? undefined }),
      setText: (text) => void address({ q: text || undefined }),
      setSide: (side) => merge({ side, narrow: side === 'ask' ? 'ask' : 'report' }),
      showGraph: () => merge({ narrow: 'graph' }),
      setPlaying: (playing) => merge({ playing }),
      setSpeed: (speed) => merge({ speed }),
      ask: (question) => merge({ side: 'ask', narrow: 'ask', question }),
      questionTaken: () => merge({ question: null }),
      toast,
    };
  }, [navigate, toast]);
  return [state, actions];
}
