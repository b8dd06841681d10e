import { createContext, useContext } from 'react';
import type { LogFilter, LogMode } from '../app/search.js';
import type { RunModel } from '../model/run-model.js';
import type { RunStore } from './run-store.js';

export type SideTab = 'report' | 'detail' | 'ask';
/** What a narrow page shows below the strip. */
export type NarrowTab = 'report' | 'graph' | 'timeline' | 'log' | 'ask';

/** What the parts of a run's page share: the run, the event it is shown at, and what was picked. */
export interface RunView {
  store: RunStore;
  model: RunModel;
  /** The event that the replay stands at; null at the end. */
  at: number | null;
  /** The event that everything is shown at. */
  seq: number;
  live: boolean;
  linked: boolean;
  /** ms since 1970, by the log's clock: now, or the time of `at`. */
  endTime: number;
  /** Where time axes end: grows in steps. */
  axisEnd: number;
  /**
   * For how long nothing was heard on a stream that is open; 0 unless that is longer than usual.
   */
  quietSeconds: number;
  /** The event of the address (`#N`). */
  selected: number | null;
  node: string | null;
  view: 'timeline' | 'log';
  filter: LogFilter | null;
  mode: LogMode | null;
  text: string;
  side: SideTab;
  narrow: NarrowTab;
  playing: boolean;
  speed: number;
  /** A question that is to be asked at once. */
  question: string | null;
  actions: RunActions;
}

export interface RunActions {
  seek: (seq: number | null) => void;
  pick: (seq: number) => void;
  pickNode: (id: string | null) => void;
  /** Back to the report. */
  leave: () => void;
  /** What was picked is not in the address any more: shows what was there before it. */
  unpicked: () => void;
  setView: (view: 'timeline' | 'log') => void;
  setFilter: (filter: LogFilter | null) => void;
  setMode: (mode: LogMode | null) => void;
  setText: (text: string) => void;
  setSide: (tab: SideTab) => void;
  /** On a narrow page. */
  showGraph: () => void;
  setPlaying: (playing: boolean) => void;
  setSpeed: (speed: number) => void;
  ask: (question: string) => void;
  questionTaken: () => void;
  toast: (text: string) => void;
}

export const RunViewContext = createContext<RunView | null>(null);

export function useRunView(): RunView {
  const view = useContext(RunViewContext);
  if (!view) throw new Error('only a run page has the view of a run');
  return view;
}
