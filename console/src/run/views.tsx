import * as Tabs from '@radix-ui/react-tabs';
import { lazy } from 'react';
import { number } from '../model/number.js';
import { Icon } from '../ui/icon.js';
import { LazyPart, part } from '../ui/lazy-part.js';
import { Skeleton } from '../ui/skeleton.js';
import { useRunView } from './run-context.js';
import { Timeline } from './timeline/timeline.js';

const Log = lazy(part(() => import('./log/log.js').then((module) => ({ default: module.Log }))));

/** Timeline or log. */
export function Views() {
  const { store, model, view, seq, node, actions } = useRunView();
  return (
    <section className="panel panel-views noprint" aria-label="What happened">
      <Tabs.Root
        value={view}
        onValueChange={(tab) => actions.setView(tab === 'log' ? 'log' : 'timeline')}
        className="tabs-root"
      >
        <div className="tabs tabs-views">
          <Tabs.List className="tabs-in" aria-label="Views">
            <Tabs.Trigger value="timeline">
              Timeline <kbd aria-hidden="true">1</kbd>
            </Tabs.Trigger>
            <Tabs.Trigger value="log">
              Log <span className="count">{number(seq)}</span> <kbd aria-hidden="true">2</kbd>
            </Tabs.Trigger>
          </Tabs.List>
          <span className="grow" />
          {node !== null && (
            <button className="chip" onClick={() => actions.pickNode(null)}>
              {model.nameOf(node)} <Icon name="x" size={11} />
              <span className="sr">(show all nodes)</span>
            </button>
          )}
          {store.backlog > 0 && (
            <span className="mute">reading {number(store.backlog)} more …</span>
          )}
          {view === 'timeline' && <Legend />}
        </div>
        <Tabs.Content value="timeline" className="tab-body">
          <Timeline />
        </Tabs.Content>
        <Tabs.Content value="log" className="tab-body">
          <LazyPart fallback={<Skeleton />}>
            <Log />
          </LazyPart>
        </Tabs.Content>
      </Tabs.Root>
    </section>
  );
}

function Legend() {
  return (
    <span className="legend" aria-hidden="true">
      <i className="lg b-model" />
      model
      <i className="lg b-tool" />
      tool
      <i className="lg b-wait" />
      provider wait
      <i className="lg b-parked" />
      parked
    </span>
  );
}
