import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { ApiError, call } from '../../api/http.js';
import { topologyQuery } from '../../api/queries.js';
import type { Topology } from '../../api/types.js';
import {
  BLANK,
  parseText,
  placeFaults,
  textOfTopology,
  type PlacedFault,
} from './topology-text.js';
import type { Fault } from '../../api/http.js';

export interface TopologyDraft {
  text: string;
  /** What the text says; undefined while it is not YAML. */
  value: unknown;
  faults: PlacedFault[];
  changed: boolean;
  saving: boolean;
  /** What became of the last Save. */
  message: string | null;
  setText: (text: string) => void;
  undo: () => void;
  save: () => void;
}

/** The text of a topology while it is edited. @param onSaved told the id of a topology that was stored */
export function useTopologyDraft(
  stored: Topology | undefined,
  isNew: boolean,
  onSaved: (id: number) => void,
): TopologyDraft {
  const queries = useQueryClient();
  const [saved, setSaved] = useState(isNew ? BLANK : '');
  const [text, setText] = useState(saved);
  const [refused, setRefused] = useState<readonly Fault[]>([]);
  const [state, setState] = useState<{ saving: boolean; message: string | null }>({
    saving: false,
    message: null,
  });
  useEffect(() => {
    if (!stored) return;
    const read = textOfTopology(stored);
    setSaved(read);
    setText(read);
    setRefused([]);
  }, [stored]);
  const { value, syntax } = useMemo(() => parseText(text), [text]);
  const faults = useMemo(
    () => (syntax.length > 0 ? syntax : placeFaults(text, refused)),
    [text, syntax, refused],
  );
  const save = async (): Promise<void> => {
    if (value === undefined) return;
    setState({ saving: true, message: null });
    try {
      const topology = await (isNew
        ? call<Topology>('POST', 'topologies', { body: value })
        : call<Topology>('PUT', `topologies/${stored?.id}`, { body: value }));
      setRefused([]);
      setState({ saving: false, message: `Saved as version ${topology.version}` });
      queries.setQueryData(topologyQuery(topology.id).queryKey, topology);
      void queries.invalidateQueries({ queryKey: ['topologies'] });
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
    changed: isNew || text !== saved,
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
