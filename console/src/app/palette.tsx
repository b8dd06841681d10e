import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useDeferredValue, useState } from 'react';
import { runsQuery, topologiesQuery } from '../api/queries.js';
import { useRefusal } from '../api/session.js';
import type { RunItem } from '../api/types.js';
import { ago } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { Modal } from '../ui/modal.js';
import { toggleTheme } from '../ui/theme.js';
import { matchScore } from './match-score.js';
import { NAV } from './nav.js';

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Target {
  id: string;
  icon: string;
  label: string;
  /** Beside the label, where there is room. */
  more?: string;
  hint: string;
  go: () => unknown;
}

/** Goes anywhere: pages, topologies, runs, a pasted id of a run. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const targets = useTargets(useDeferredValue(text.trim().toLowerCase()));
  return (
    <Modal label="Go anywhere" className="palette" onClose={onClose}>
      <Command
        label="Go anywhere"
        loop
        filter={(_id, typed, texts) => matchScore(typed, texts ?? [])}
      >
        <div className="palette-in">
          <Icon name="search" size={16} />
          <Command.Input
            autoFocus
            value={text}
            onValueChange={setText}
            placeholder="Go to a page, a topology, a run …"
          />
          <kbd>Esc</kbd>
        </div>
        <Command.List label="Results">
          <Command.Empty className="mute empty">Nothing of that name</Command.Empty>
          {targets.map(({ id, icon, label, more, hint, go }) => (
            <Command.Item
              key={id}
              value={id}
              keywords={[label, hint, more ?? '', id]}
              onSelect={() => {
                onClose();
                void go();
              }}
            >
              <Icon name={icon} size={15} />
              <span className="grow ellip">
                {label} {more && <small className="mute">{more}</small>}
              </span>
              <span className="mute">{hint}</span>
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Modal>
  );
}

/** The last runs, and those that the service finds for a text. */
function useRuns(text: string): RunItem[] {
  const last = useQuery(runsQuery({ kind: 'diagnosis', limit: 20 })).data?.items ?? [];
  const found = useQuery({
    ...runsQuery({ kind: 'diagnosis', limit: 20, q: text }),
    enabled: text !== '',
  });
  const known = new Set(last.map(({ runId }) => runId));
  return [...last, ...(found.data?.items ?? []).filter(({ runId }) => !known.has(runId))];
}

function useTargets(text: string): Target[] {
  const navigate = useNavigate();
  const mayStart = useRefusal('runs:start') === undefined;
  const runs = useRuns(text);
  const topologies = useQuery(topologiesQuery()).data?.items ?? [];
  const openRun = (runId: string) => () => navigate({ to: '/runs/$runId', params: { runId } });
  if (RUN_ID.test(text))
    return [{ id: text, icon: 'arrow', label: `Open run ${text}`, hint: '', go: openRun(text) }];
  return [
    ...NAV.map(({ to, icon, label, key }) => ({
      id: to,
      icon,
      label,
      hint: `G then ${key.toUpperCase()}`,
      go: () => navigate({ to }),
    })),
    { id: 'theme', icon: 'sun', label: 'Dark or light theme', hint: 'T', go: toggleTheme },
    ...(mayStart ? topologies : []).map(({ id, name }) => ({
      id: `diagnose ${id}`,
      icon: 'spark',
      label: `Diagnose ${name}`,
      hint: `topology ${id}`,
      go: () => navigate({ to: '/diagnose', search: { topology: id } }),
    })),
    ...topologies.map(({ id, name }) => ({
      id: `topology ${id}`,
      icon: 'topology',
      label: name,
      hint: `topology ${id}`,
      go: () => navigate({ to: '/topologies/$id', params: { id: String(id) } }),
    })),
    ...runs.map(({ runId, headline, userMessage, topologyName, createdAt }) => ({
      id: runId,
      icon: 'runs',
      label: headline ?? userMessage,
      ...(headline !== null && { more: userMessage }),
      hint: `${topologyName ?? ''}, ${ago(createdAt)}`,
      go: openRun(runId),
    })),
  ];
}
