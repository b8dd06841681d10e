import { expect, test } from '@jest/globals';
import { withoutMysqlValues, withoutValues } from './sql-values.js';

test.each([
  ["create role x password 'hunter2'", 'create role x password ?'],
  ["select * from t where a = 'it''s' and b = 42", 'select * from t where a = ? and b = ?'],
  ["update t set a = 'cut off he", 'update t set a = ?'],
  ['do $body$ secret $body$', 'do ?'],
  ["select E'it\\'s hunter2', 'C:\\' from t", 'select ?, ? from t'],
  ['select 0xC0FFEE', 'select ?'],
  ['select $1, $2 from t where a = $13', 'select ?, ? from t where a = ?'],
])('%j is shown without its values', (query, shown) => expect(withoutValues(query)).toBe(shown));

test.each([
  [`set password = "hunter2"`, 'set password = ?'],
  [`select 'it\\'s hunter2', "a ""b"" c" from t where b = 4711`, 'select ?, ? from t where b = ?'],
  [`update t set a = 'cut off\\`, 'update t set a = ?'],
  ['select `a` from t where b = 0xC0FFEE', 'select `a` from t where b = ?'],
])('%j of MySQL is shown without its values', (query, shown) =>
  expect(withoutMysqlValues(query)).toBe(shown),
);
