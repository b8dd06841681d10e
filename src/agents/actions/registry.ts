import type { Action } from './action.js';
import { answer } from './answer.js';
import { askLibrarian } from './ask-librarian.js';
import { awaitReports } from './await-reports.js';
import { buildMessages } from './build-messages.js';
import { checkProgress } from './check-progress.js';
import { conclude, report } from './conclusions.js';
import { drainNotifications } from './drain-notifications.js';
import { end } from './end.js';
import { limitReached } from './limits-reached.js';
import { measureLeftOut } from './measure-left-out.js';
import { modelTurn } from './model-turn.js';
import { runTools } from './run-tools.js';
import { start } from './start.js';
import { startTurn } from './start-turn.js';

const ALL: readonly Action[] = [
  start,
  startTurn,
  limitReached,
  buildMessages,
  modelTurn,
  runTools,
  askLibrarian,
  awaitReports,
  checkProgress,
  drainNotifications,
  report,
  measureLeftOut,
  conclude,
  answer,
  end,
];

/** The actions of agents, by name. */
export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  ALL.map((action) => [action.name, action]),
);
