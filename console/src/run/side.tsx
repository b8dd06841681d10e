import * as Tabs from '@radix-ui/react-tabs';
import { lazy, memo, useRef } from 'react';
import { number } from '../model/number.js';
import { Icon } from '../ui/icon.js';
import { LazyPart, part } from '../ui/lazy-part.js';
import { Skeleton } from '../ui/skeleton.js';
import { EventDetail } from './evidence/event-detail.js';
import { Report } from './report/report.js';
import { useRunView, type SideTab } from './run-context.js';

const NodeDetail = lazy(
  part(() =>
    import('./evidence/node-detail.js').then((module) => ({ default: module.NodeDetail })),
  ),
);
const RunAsk = lazy(
  part(() => import('./ask/run-ask.js').then((module) => ({ default: module.RunAsk }))),
);

/** The right side of the page: report, what was picked, and the oracle. */
export const Side = memo(function Side() {
  const { model, side, node, selected, actions } = useRunView();
  const loading = model.last === 0;
  /** Kept from then on: an answer under way, and what is typed, outlast a look at the report. */
  const wasAsked = useRef(false);
  wasAsked.current ||= side === 'ask';
  return (
    <aside className="panel panel-side" aria-label="Report and details">
      <Tabs.Root
        value={side}
        onValueChange={(tab) => actions.setSide(tab as SideTab)}
        className="tabs-root"
      >
        <Tabs.List className="tabs" aria-label="Details">
          <Tabs.Trigger value="report">Report</Tabs.Trigger>
          <Tabs.Trigger value="detail">
            {node ? 'Node' : 'Evidence'}
            {selected !== null && !node && <span className="count">#{selected}</span>}
          </Tabs.Trigger>
          <Tabs.Trigger value="ask">
            Ask <kbd aria-hidden="true">A</kbd>
          </Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="report" className="side-body" forceMount hidden={side !== 'report'}>
          <h2 className="sr">Report</h2>
          {loading ? <Skeleton /> : <Report />}
        </Tabs.Content>
        <Tabs.Content value="detail" className="side-body">
          <h2 className="sr">{node ? 'Node' : 'Evidence'}</h2>
          <button className="btn btn-small only-narrow to-report" onClick={actions.leave}>
            <Icon name="left" size={13} />
            Report
          </button>
          {loading ? <Skeleton /> : <Detail />}
        </Tabs.Content>
        <Tabs.Content
          value="ask"
          className="side-body side-chat"
          forceMount
          hidden={side !== 'ask'}
        >
          <h2 className="sr">Ask</h2>
          {wasAsked.current && (
            <LazyPart fallback={<Skeleton />}>
              <RunAsk />
            </LazyPart>
          )}
        </Tabs.Content>
      </Tabs.Root>
    </aside>
  );
});

function Detail() {
  const { store, model, node, selected, live } = useRunView();
  if (node !== null)
    return (
      <LazyPart fallback={<Skeleton />}>
        <NodeDetail id={node} />
      </LazyPart>
    );
  if (selected === null)
    return (
      <p className="empty">Click a bar, a line of the log, a node, or what a claim rests on.</p>
    );
  if (selected <= model.last) return <EventDetail seq={selected} />;
  if (live || store.backlog > 0)
    return <p className="empty">Event {number(selected)} has not come yet.</p>;
  return (
    <div className="banner banner-warn" role="alert">
      <Icon name="warn" size={15} />
      <p>
        There is no event {number(selected)} in this run. It has {number(model.last)}.
      </p>
    </div>
  );
}
