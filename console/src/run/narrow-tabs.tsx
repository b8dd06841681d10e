import { memo } from 'react';
import { useRunView, type NarrowTab } from './run-context.js';

const TABS: [NarrowTab, string][] = [
  ['report', 'Report'],
  ['graph', 'Graph'],
  ['timeline', 'Timeline'],
  ['log', 'Log'],
  ['ask', 'Ask'],
];

/** What a narrow page shows: one part at a time. */
export const NarrowTabs = memo(function NarrowTabs() {
  const { narrow, actions } = useRunView();
  const open = (tab: NarrowTab): void => {
    if (tab === 'graph') actions.showGraph();
    if (tab === 'timeline' || tab === 'log') actions.setView(tab);
    if (tab === 'report' || tab === 'ask') actions.setSide(tab);
  };
  return (
    <nav className="tabs mobiletabs noprint" aria-label="Parts of the run">
      {TABS.map(([tab, label]) => (
        <button
          key={tab}
          className="tab"
          aria-current={narrow === tab ? 'true' : undefined}
          onClick={() => open(tab)}
        >
          {label}
        </button>
      ))}
    </nav>
  );
});
