import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { PREFIX } from '../api/base.js';
import { DeadEnd } from '../ui/dead-end.js';
import { part } from '../ui/lazy-part.js';
import { PageFailed } from './page-failed.js';
import { diagnoseSearch, runSearch, runsSearch } from './search.js';
import { Shell } from './shell.js';

const root = createRootRoute({
  component: Shell,
  errorComponent: PageFailed,
  notFoundComponent: () => (
    <DeadEnd
      title="There is no such page"
      text="The address may be cut short or mistyped."
      code="NOT_FOUND"
    />
  ),
});
const under = { getParentRoute: () => root };

const home = createRoute({
  ...under,
  path: '/',
  beforeLoad: () => redirect({ to: '/runs', replace: true, throw: true }),
});
const runs = createRoute({
  ...under,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(
    part(() => import('../pages/runs/runs-page.js')),
    'RunsPage',
  ),
});
const run = createRoute({
  ...under,
  path: '/runs/$runId',
  validateSearch: runSearch,
  component: lazyRouteComponent(
    part(() => import('../run/run-page.js')),
    'RunPage',
  ),
});
const diagnose = createRoute({
  ...under,
  path: '/diagnose',
  validateSearch: diagnoseSearch,
  component: lazyRouteComponent(
    part(() => import('../pages/diagnose/diagnose-page.js')),
    'DiagnosePage',
  ),
});
const topologies = createRoute({
  ...under,
  path: '/topologies',
  component: lazyRouteComponent(
    part(() => import('../pages/topologies/topologies-page.js')),
    'TopologiesPage',
  ),
});
const topology = createRoute({
  ...under,
  path: '/topologies/$id',
  component: lazyRouteComponent(
    part(() => import('../pages/topologies/topology-page.js')),
    'TopologyPage',
  ),
});
const conversationsPage = part(() => import('../pages/conversations/conversations-page.js'));
const conversations = createRoute({
  ...under,
  path: '/conversations',
  component: lazyRouteComponent(conversationsPage, 'ConversationsPage'),
});
const conversation = createRoute({
  ...under,
  path: '/conversations/$id',
  // With the match, so that thread and id change together: the location changes before the
  // parameters do.
  beforeLoad: ({ location }) => ({ thread: location.state.thread }),
  component: lazyRouteComponent(conversationsPage, 'ConversationsPage'),
});
const operations = createRoute({
  ...under,
  path: '/operations',
  component: lazyRouteComponent(
    part(() => import('../pages/operations/operations-page.js')),
    'OperationsPage',
  ),
});
const settings = createRoute({
  ...under,
  path: '/settings',
  component: lazyRouteComponent(
    part(() => import('../pages/settings/settings-page.js')),
    'SettingsPage',
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    runs,
    run,
    diagnose,
    topologies,
    topology,
    conversations,
    conversation,
    operations,
    settings,
  ]),
  basepath: `${PREFIX}/console`,
  // Below the shell, so that the way to other pages stays.
  defaultErrorComponent: PageFailed,
});

declare module '@tanstack/react-router' {
  interface HistoryState {
    /**
     * Which thread of the conversations page an entry shows: a new conversation gets its id while
     * it goes on.
     */
    thread?: string | undefined;
  }
  interface Register {
    router: typeof router;
  }
}
