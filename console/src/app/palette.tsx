import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState } from 'react';
import { runsQuery, topologiesQuery } from '../api/queries.js';
import { ago } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { Modal } from '../ui/modal.js';
import { toggleTheme } from '../ui/theme.js';
import { NAV } from './nav.js';

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Target {
  id: string;
  icon: string;
  label: string;
  hint: string;
  go: () => unknown;
}

/** Goes anywhere: pages, topologies, runs, a pasted id of a run. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const targets = useTargets(text.trim().toLowerCase());
  return (
    <Modal label="Go anywhere" className="palette" onClose={onClose}>
      <Command label="Go anywhere" loop>
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
          {targets.map(({ id, icon, label, hint, go }) => (
            <Command.Item
              key={id}
              value={`${label} ${hint} ${id}`}
              onSelect={() => {
                onClose();
                void go();
              }}
            >
              <Icon name={icon} size={15} />
              <span className="grow ellip">{label}</span>
              <span className="mute">{hint}</span>
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Modal>
  );
}

function useTargets(text: string): Target[] {
  const navigate = useNavigate();
  const runs = useQuery(runsQuery({ kind: 'diagnosis', limit: 20 })).data?.items ?? [];
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
    ...topologies.map(({ id, name }) => ({
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
    ...runs.map(({ runId, userMessage, topologyName, createdAt }) => ({
      id: runId,
      icon: 'runs',
      label: userMessage,
      hint: `${topologyName ?? ''}, ${ago(createdAt)}`,
      go: openRun(runId),
    })),
  ];
}
