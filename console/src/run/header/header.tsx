import { Link } from '@tanstack/react-router';
import { lazy, memo } from 'react';
import { isLost } from '../../api/follow-run.js';
import { causesAt } from '../../model/view/findings-at.js';
import { Ago } from '../../ui/ago.js';
import { clock, moment } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { LazyPart, part } from '../../ui/lazy-part.js';
import { useRunView } from '../run-context.js';
import { Actions } from './actions.js';
import { Facts } from './facts.js';
import { headlineAt } from './headline.js';
import { LinkBanner } from './link-banner.js';
import { PathLine } from './path-line.js';
import { Ring } from './ring.js';
import { RetryBanner } from './retry-banner.js';
import { StatusPills } from './status-pills.js';

const ApprovalBanner = lazy(
  part(() => import('./approval-banner.js').then((module) => ({ default: module.ApprovalBanner }))),
);

/**
 * The bottom line: what is broken, how sure that is, and what it took. Its height does not change
 * with its content.
 */
export const Header = memo(function Header() {
  const { store, model, seq, live, at } = useRunView();
  const causes = causesAt(model, seq);
  const [cause] = causes;
  const headline = headlineAt(model, seq);
  const asked = model.started?.user_message;
  const { link } = store;
  const isCut = isLost(link) || link.state === 'gone';
  const approvals = live && at === null && !isCut ? model.openApprovals : [];
  const [approval] = approvals;
  const hasBanner = isCut || approval !== undefined;
  return (
    <header className="hero">
      <div className="hero-main">
        <Overline />
        <h1>
          {model.last === 0 ? (
            <span className="skeleton skeleton-line" aria-label="Reading the log" />
          ) : (
            headline
          )}
        </h1>
        {cause && !hasBanner && <PathLine causes={causes} />}
        {isCut && <LinkBanner link={link} live={live} />}
        {approval && (
          <LazyPart>
            <ApprovalBanner
              key={approval.seq}
              runId={store.runId}
              approval={approval}
              more={approvals.length - 1}
            />
          </LazyPart>
        )}
        {!cause && !hasBanner && <RetryBanner />}
        {asked !== undefined && asked !== headline && (
          <p className="hero-q" title={asked}>
            <Icon name="quote" size={12} />
            <span className="sr">Asked:</span>
            <bdi className="hero-asked">{asked}</bdi>
          </p>
        )}
      </div>
      <div className="hero-side">
        <div className="hero-top">
          <Facts />
          {cause && <Ring value={cause.confidence} />}
        </div>
        <Actions />
      </div>
    </header>
  );
});

function Overline() {
  const { model, at } = useRunView();
  const { started, topologyVersion } = model;
  const first = model.at(1);
  return (
    <p className="hero-over">
      <StatusPills />
      {at !== null && (
        <span className="pill pill-replay">
          <Icon name="replay" size={12} />
          As it was at #{at}
        </span>
      )}
      {started?.topology_id && (
        <Link
          to="/topologies/$id"
          params={{ id: String(started.topology_id) }}
          className="hero-topo ellip"
          title={started.topology_name ?? undefined}
        >
          {started.topology_name}
        </Link>
      )}
      {topologyVersion !== null && <span className="mute">version {topologyVersion}</span>}
      {first && (
        <>
          <time className="mute noprint" dateTime={first.timestamp} title={first.timestamp}>
            {clock(first.time)}, <Ago time={first.time} />
          </time>
          <span className="only-print">
            {moment(first.time)}, run {first.run_id}, {location.href}
          </span>
        </>
      )}
    </p>
  );
}
