import { moment } from './format.js';

const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A text of a tool with its times as people write them: `since 12 Sept 2026, 11:25:00 UTC`. */
export const plainTimes = (text: string): string => text.replace(ISO, (time) => moment(time));
