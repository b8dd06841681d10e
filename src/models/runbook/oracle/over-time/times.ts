/** A time that a question names: ms since 1970, `to` is excluded. */
export interface TimeSpan {
  from: number;
  to: number;
  /** It is one minute, not a range. */
  isMoment: boolean;
}

/**
 * The time in a text, what stands where a time would and is none (`25:99`), and the text without
 * both.
 */
export interface TimeRead {
  time: TimeSpan | undefined;
  noTime: string | undefined;
  rest: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = {
  m: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
};
const UNIT = '(min(?:ute)?|hour|hr|day|week)s?';
/** ms of a unit, by its first letter. */
const msOf = (unit: string): number => UNITS[unit.slice(0, 1)] ?? 0;
/** First and last hour of the parts of a day. */
const PARTS: Readonly<Record<string, readonly [number, number]>> = {
  morning: [0, 12],
  afternoon: [12, 18],
  evening: [18, 24],
  night: [18, 30],
};
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b\\.?';
const DATE = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?:,?\\s+(\\d{4})\\b)?';
const BEFORE =
  '(?:\\b(at|on|in|of|from|since|after|during|around|about|within|over)\\s+)?(?:the\\s+)?';
const PART = '(morning|afternoon|evening|night)';

type Range = readonly [from: number, to: number];
const dayOf = (ms: number): number => ms - (((ms % DAY) + DAY) % DAY);
const partOf = (day: number, part: string | undefined): Range => {
  const [from, to] = PARTS[part ?? ''] ?? [0, 24];
  return [day + from * HOUR, day + to * HOUR];
};
const monthOf = (now: number, back: number): Range => {
  const at = new Date(now);
  const first = (month: number) => Date.UTC(at.getUTCFullYear(), month, 1);
  return [first(at.getUTCMonth() - back), first(at.getUTCMonth() - back + 1)];
};
const monthNamed = (name: string): number => MONTHS.indexOf(name.slice(0, 3));
/** The year of a date without one: the last such date that has passed. */
const yearFor = (now: number, month: number, date: number): number => {
  const year = new Date(now).getUTCFullYear();
  return Date.UTC(year, month, date) > now ? year - 1 : year;
};
const yearOf = (year: number): Range => [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
const mondayOf = (now: number): number => dayOf(now) - ((new Date(now).getUTCDay() + 6) % 7) * DAY;

/**
 * A way to name a range: its pattern, and the range for the groups of the pattern. Undefined: there
 * is no such day.
 */
type Way = readonly [
  pattern: string,
  range: (groups: readonly (string | undefined)[], now: number) => Range | undefined,
];

const WAYS: readonly Way[] = [
  [
    '\\b(\\d{4}-\\d\\d-\\d\\d)(?:t(?=\\d)|\\b)',
    ([date = '']) => {
      const day = Date.parse(`${date}T00:00:00Z`);
      const isDay = !Number.isNaN(day) && new Date(day).toISOString().startsWith(date);
      return isDay ? [day, day + DAY] : undefined;
    },
  ],
  ['\\blast\\s+night\\b', (_, now) => [dayOf(now) - 6 * HOUR, dayOf(now) + 6 * HOUR]],
  ['\\bday\\s+before\\s+yesterday\\b', (_, now) => [dayOf(now) - 2 * DAY, dayOf(now) - DAY]],
  ['\\blast\\s+weekend\\b', (_, now) => [mondayOf(now) - 2 * DAY, mondayOf(now)]],
  [`\\byesterday(?:\\s+${PART})?\\b`, ([part], now) => partOf(dayOf(now) - DAY, part)],
  [`\\bthis\\s+${PART}\\b`, ([part], now) => partOf(dayOf(now), part)],
  ['\\btonight\\b', (_, now) => partOf(dayOf(now), 'night')],
  ['\\btoday\\b', (_, now) => partOf(dayOf(now), undefined)],
  [
    `\\b(last\\s+)?(${WEEKDAYS.join('|')})(?:\\s+${PART})?\\b`,
    ([last, name = '', part], now) => {
      const back = (new Date(now).getUTCDay() - WEEKDAYS.indexOf(name) + 7) % 7;
      return partOf(dayOf(now) - (back === 0 && last !== undefined ? 7 : back) * DAY, part);
    },
  ],
  ['\\bthis\\s+week\\b', (_, now) => [mondayOf(now), mondayOf(now) + 7 * DAY]],
  ['\\blast\\s+week\\b', (_, now) => [mondayOf(now) - 7 * DAY, mondayOf(now)]],
  ['\\b(this|last)\\s+month\\b', ([which], now) => monthOf(now, which === 'last' ? 1 : 0)],
  [
    `(?:(?<=\\b(?:in|during|since|of|from)\\s+)|\\blast\\s+)${MONTH}${YEAR}`,
    ([name = '', given], now) => {
      const month = monthNamed(name);
      const year = given === undefined ? yearFor(now, month, 1) : Number(given);
      return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)];
    },
  ],
  [
    '\\b(this|last)\\s+year\\b',
    ([which], now) => yearOf(new Date(now).getUTCFullYear() - (which === 'last' ? 1 : 0)),
  ],
  [
    '(?<=\\b(?:in|during|since|of|from)\\s+)([12]\\d{3})\\b(?![:.-])',
    ([year]) => yearOf(Number(year)),
  ],
  [
    `\\b(?:last|past)\\s+(?:(\\d{1,4})\\s+)?${UNIT}\\b`,
    ([n = '1', unit = ''], now) => [now - Number(n) * msOf(unit), now],
  ],
  [
    `\\b(\\d{1,4}|an?|one)\\s+${UNIT}\\s+ago\\b`,
    ([n = '', unit = ''], now) => {
      const ms = msOf(unit);
      const at = now - (Number(n) || 1) * ms;
      const day = dayOf(at);
      return ms >= DAY ? [day, day + DAY] : [at - (at % MINUTE), at - (at % MINUTE) + MINUTE];
    },
  ],
];
const READERS = WAYS.map(([pattern, range]) => ({ words: new RegExp(BEFORE + pattern), range }));
/** A time of day. No port of an address: `10.0.0.1:80`. */
const CLOCK = new RegExp(
  `${BEFORE}(?<![\\w.:-])(\\d{1,2}):(\\d\\d)(?::\\d\\d(?:\\.\\d+)?)?z?(?![\\w:]|\\.\\d)(?:\\s*utc\\b)?`,
);

/** Two times of day, from one to the other. */
const CLOCKS =
  /\b(?:from|between)\s+(\d{1,2}):(\d\d)\s*(?:to|and|until|till|-)\s*(\d{1,2}):(\d\d)\b(?:\s*utc\b)?/;
const HALF_DAY = '(0?[1-9]|1[0-2])(?::(\\d\\d))?\\s*(?:([ap])\\.?m\\b\\.?)?';

/** A time in numerals; undefined if it is not a time. */
type Numerals = (groups: readonly (string | undefined)[], now: number) => string | undefined;

const NUMERALS: readonly (readonly [RegExp, Numerals])[] = [
  [
    new RegExp(`\\b${MONTH}\\s+${DATE}\\b(?![:.]\\d)${YEAR}`, 'g'),
    ([name = '', date = '', year], now) => isoDate(now, { name, date, year }),
  ],
  [
    new RegExp(`(?<![\\w.:-])${DATE}\\s+(?:of\\s+)?${MONTH}${YEAR}`, 'g'),
    ([date = '', name = '', year], now) => isoDate(now, { name, date, year }),
  ],
  [
    new RegExp(
      `(?<=\\b(?:from|between)\\s+)${HALF_DAY}\\s*(to|and|until|till|-)\\s*${HALF_DAY}`,
      'g',
    ),
    ([hour, minute, half, to, toHour, toMinute, toHalf]) =>
      half === undefined && toHalf === undefined
        ? undefined
        : `${inDay(hour, minute, half ?? toHalf)} ${to} ${inDay(toHour, toMinute, toHalf ?? half)}`,
  ],
  [
    /(?<![\w.:-])(0?[1-9]|1[0-2])(?::(\d\d))?\s*([ap])\.?m\b\.?/g,
    ([hour, minute, half]) => inDay(hour, minute, half),
  ],
  [/\b(?:noon|midday)\b/g, () => '12:00'],
  [/\bmidnight\b/g, () => '00:00'],
];

function isoDate(
  now: number,
  { name, date, year }: { name: string; date: string; year: string | undefined },
): string {
  const month = monthNamed(name);
  const full = year ?? String(yearFor(now, month, Number(date)));
  return `${full}-${String(month + 1).padStart(2, '0')}-${date.padStart(2, '0')}`;
}

/**
 * Writes dates with names of months and times of day with am and pm in numerals: `2026-11-20`,
 * `15:00`.
 */
const inNumerals = (text: string, now: number): string =>
  NUMERALS.reduce(
    (left, [pattern, numerals]) =>
      left.replace(pattern, (given, ...groups: string[]) => numerals(groups, now) ?? given),
    text,
  );

/** A time of a half day in 24 hours: 3 p.m. is `15:00`. */
const inDay = (hour: string | undefined, minute = '00', half = ''): string =>
  `${(Number(hour) % 12) + (half === 'p' ? 12 : 0)}:${minute}`;

/**
 * Reads the time that a question names, in UTC. A time without a day is the last such time that has
 * passed. A second time, or one that does not fit the day, stays in `rest`.
 * @param given in lower case
 * @param now ms since 1970
 */
export function readTimes(given: string, now: number): TimeRead {
  const text = inNumerals(given, now);
  const [day] = READERS.flatMap(({ words, range }) => {
    const found = words.exec(text);
    return found ? [{ found, range: range(found.slice(2), now) }] : [];
  });
  const cut = (from: string, [found]: RegExpExecArray) => from.replace(found, ' ');
  const left = day ? cut(text, day.found) : text;
  const both = CLOCKS.exec(left);
  const span =
    both && (!day || day.range) ? spanIn(day?.range, both.slice(1).map(Number), now) : undefined;
  if (both && span) return { time: span, noTime: undefined, rest: cut(left, both) };
  const clock = CLOCK.exec(left);
  const minutes = Number(clock?.[2]) * 60 + Number(clock?.[3]);
  const isClock = Number(clock?.[2]) < 24 && Number(clock?.[3]) < 60;
  if ((day && !day.range) || (clock && !isClock)) {
    const wrong = day && !day.range ? text.slice(day.found.index) : (clock?.[0] ?? '');
    const shown = /\d[\d:t-]*(?: \d+:\d+)?/.exec(wrong)?.[0] ?? wrong;
    return { time: undefined, noTime: shown, rest: clock ? cut(left, clock) : left };
  }
  const since = [day?.found[1], clock?.[1]].some((word) => word === 'since' || word === 'after');
  const ended = (from: number, to: number, isMoment: boolean): TimeSpan =>
    since && from < now ? { from, to: now, isMoment: false } : { from, to, isMoment };
  if (!clock) {
    if (!day?.range) return { time: undefined, noTime: undefined, rest: given };
    const [from, to] = day.range;
    return { time: ended(from, to, to - from === MINUTE), noTime: undefined, rest: left };
  }
  const at = momentIn(day?.range, minutes * MINUTE, now);
  if (at === undefined) return { time: undefined, noTime: undefined, rest: given };
  return { time: ended(at, at + MINUTE, true), noTime: undefined, rest: cut(left, clock) };
}

/**
 * Returns the time between two times of day, in a range or before now; undefined if they are not
 * times.
 */
function spanIn(
  range: Range | undefined,
  given: readonly number[],
  now: number,
): TimeSpan | undefined {
  const [hour = 0, minute = 0, toHour = 0, toMinute = 0] = given;
  if (Math.max(hour, toHour) > 23 || Math.max(minute, toMinute) > 59) return undefined;
  const begin = (hour * 60 + minute) * MINUTE;
  const end = (toHour * 60 + toMinute) * MINUTE;
  if (!range) {
    // The last such time that has begun; what is still to come of it is left out.
    const from = momentIn(undefined, begin, now) ?? now;
    const to = dayOf(from) + end + (end > begin ? 0 : DAY);
    return { from, to: from < now ? Math.min(to, now) : to, isMoment: false };
  }
  const to = momentIn(range, end, now);
  if (to === undefined) return undefined;
  const from = dayOf(to) + begin;
  return { from: from < to ? from : from - DAY, to, isMoment: false };
}

/** Returns the moment of a time of day in a range; undefined if the range has none, or several. */
function momentIn(range: Range | undefined, ofDay: number, now: number): number | undefined {
  if (!range) {
    const at = dayOf(now) + ofDay;
    return at > now ? at - DAY : at;
  }
  const [from, to] = range;
  const at = dayOf(from) + ofDay;
  const inside = [at, at + DAY].filter((each) => each >= from && each < to);
  return inside.length === 1 ? inside[0] : undefined;
}
