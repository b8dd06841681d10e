import type { SqlRow } from '../../sources/sql/sql-task.js';

/** A number of a row; 0 if there is none. */
export function numberIn(row: SqlRow | undefined, name: string): number {
  const value = row?.[name];
  return typeof value === 'number' ? value : 0;
}

/** A text of a row, at most 200 characters; empty where there is none. */
export function textIn(row: SqlRow | undefined, name: string): string {
  const value = row?.[name];
  return typeof value === 'string' ? value.slice(0, 200) : '';
}

export const seconds = (value: number): string => `${Math.round(value)} s`;

/**
 * A statement of PostgreSQL without its literals: they are the users' data, and may be passwords.
 */
export const withoutValues = (query: string): string =>
  withoutNumbers(
    query
      .replace(/\bE'(?:[^'\\]|\\[^]|'')*(?:'|$)/gi, '?')
      .replace(/'(?:[^']|'')*(?:'|$)/g, '?')
      .replace(/\$\d+\b(?!\$)/g, '?')
      .replace(/\$(\w*)\$[^]*?(?:\$\1\$|$)/g, '?'),
  );

/** The same of MySQL, where quotes of both kinds enclose texts, and a backslash escapes. */
export const withoutMysqlValues = (query: string): string =>
  withoutNumbers(query.replace(/(['"])(?:(?!\1)[^\\]|\\[^]|\1\1)*(?:\1|\\?$)/g, '?'));

const withoutNumbers = (query: string): string =>
  query
    .replace(/\b(?:0x[\da-f]+|\d+(?:\.\d+)?)\b/gi, '?')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 160);
