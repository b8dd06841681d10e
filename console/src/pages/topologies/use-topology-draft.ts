import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ApiError, call } from '../../api/http.js';
import { topologyQuery } from '../../api/queries.js';
import type { Fault, Topology } from '../../api/types.js';
import {
  BLANK,
  parseText,
  placeFaults,
  textOfTopology,
  type PlacedFault,
} from './topology-text.js';

export interface TopologyDraft {
  text: string;
  /** What the text says; undefined while it is not a mapping in YAML. */
  value: unknown;
  faults: PlacedFault[];
  /** Whether it can be saved: the text of a new topology can as it is offered. */
  changed: boolean;
  /** Whether something was typed that is not saved. */
  unsaved: boolean;
  saving: boolean;
  /** What became of the last Save. */
  message: string | null;
  setText: (text: string) => void;
  undo: () => void;
  save: () => void;
}

/** The text is checked when nothing was typed for so long. */
const CHECK_MS = 500;

/**
 * What the service finds wrong with a topology, without storing it.
 * @throws ApiError if it cannot be checked
 */
async function check(body: unknown, signal: AbortSignal): Promise<readonly Fault[]> {
  const { errors = [] } = await call<{ errors?: Fault[] }>('POST', 'topologies/check', {
    body,
    signal,
  });
  return errors;
}

/**
 * The text of a topology while it is edited.
 * @param onSaved receives the id of a topology that was stored
 */
export function useTopologyDraft(
  stored: Topology | undefined,
  isNew: boolean,
  onSaved: (id: number) => void,
): TopologyDraft {
  const queries = useQueryClient();
  const [{ saved, text }, setDraft] = useState(() => {
    const first = isNew ? BLANK : '';
    return { saved: first, text: first };
  });
  const [refused, setRefused] = useState<readonly Fault[]>([]);
  const [state, setState] = useState<{ saving: boolean; message: string | null }>({
    saving: false,
    message: null,
  });
  const setText = useCallback((typed: string) => setDraft((old) => ({ ...old, text: typed })), []);
  /**
   * Takes over what is stored. What was typed after `sent`, or after what was stored before, stays.
   */
  const take = useCallback((topology: Topology, sent?: string): void => {
    const read = textOfTopology(topology);
    setDraft((old) => ({
      saved: read,
      text: old.text === (sent ?? old.saved) ? read : old.text,
    }));
  }, []);
  useEffect(() => {
    if (stored) take(stored);
  }, [stored, take]);
  const { value, syntax } = useMemo(() => parseText(text), [text]);
  const faults = useMemo(
    () => (syntax.length > 0 ? syntax : placeFaults(text, refused)),
    [text, syntax, refused],
  );
  const changed = isNew || text !== saved;
  const same = text === saved;
  useEffect(() => {
    // Syntax faults come from the parser, and what is stored has no fault.
    if (value === undefined || same) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      check(value, abort.signal).then(
        (faults) => setRefused(faults),
        // The service is away: Save says so.
        () => undefined,
      );
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [value, same]);
  const save = async (): Promise<void> => {
    if (value === undefined) return;
    setState({ saving: true, message: null });
    try {
      const topology = await (isNew
        ? call<Topology>('POST', 'topologies', { body: value })
        : call<Topology>('PUT', `topologies/${stored?.id}`, { body: value }));
      setRefused([]);
      take(topology, text);
      setState({ saving: false, message: `Saved as version ${topology.version}` });
      queries.setQueryData(topologyQuery(topology.id).queryKey, topology);
      void queries.invalidateQueries({ queryKey: ['topologies'] });
      void queries.invalidateQueries({ queryKey: ['versions'] });
      onSaved(topology.id);
    } catch (error) {
      setState({ saving: false, message: (error as Error).message });
      setRefused(error instanceof ApiError ? error.faults : []);
    }
  };
  return {
    text,
    value,
    faults,
    changed,
    unsaved: !same,
    ...state,
    setText,
    undo: () => {
      setText(saved);
      setRefused([]);
      setState({ saving: false, message: null });
    },
    save: () => void save(),
  };
}
