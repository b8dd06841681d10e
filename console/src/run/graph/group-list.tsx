import { useState } from 'react';
import { count } from '../../model/number.js';
import type { Health } from '../../model/types.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { HEALTH_WORDS } from '../../ui/words.js';
import { healthCounts, type NodeGroup } from './node-groups.js';

interface GroupListProps {
  groups: readonly NodeGroup[];
  healthOf: (id: string) => Health;
  picked: string | null;
  onPick: (id: string) => void;
}

/** The nodes that are not drawn: a button for each group, which lists its nodes. */
export function GroupList({ groups, healthOf, picked, onPick }: GroupListProps) {
  const [name, setName] = useState<string | null>(null);
  const opened = groups.find((group) => group.name === name);
  return (
    <section className="graph-groups noprint" aria-label="Nodes that are not drawn">
      {opened && (
        <div className="graph-group" role="group" aria-label={opened.name}>
          {opened.members.map((node) => (
            <button
              key={node.id}
              className="chip"
              aria-pressed={node.id === picked}
              onClick={() => onPick(node.id)}
            >
              <Glyph state={healthOf(node.id)} size={12} />
              {node.name}
              <span className="sr">: {HEALTH_WORDS[healthOf(node.id)]}</span>
            </button>
          ))}
        </div>
      )}
      <div className="graph-groupnames">
        <span className="mute">
          {count(
            groups.reduce((sum, { members }) => sum + members.length, 0),
            'more node',
          )}
        </span>
        {groups.map((group) => {
          const counts = healthCounts(group, healthOf);
          const words = counts.map(([health, of]) => `${of} ${HEALTH_WORDS[health].toLowerCase()}`);
          const isOpen = group === opened;
          return (
            <button
              key={group.name}
              className={`chip${isOpen ? ' is-on' : ''}`}
              aria-expanded={isOpen}
              title={words.join(', ')}
              onClick={() => setName(isOpen ? null : group.name)}
            >
              {group.name}
              {counts.map(([health, of]) => (
                <span key={health} className="graph-count">
                  <Glyph state={health} size={12} />
                  {of}
                  <span className="sr"> {HEALTH_WORDS[health].toLowerCase()}</span>
                </span>
              ))}
              {isOpen && <Icon name="x" size={10} />}
            </button>
          );
        })}
      </div>
    </section>
  );
}
