// Times that the server sets (`@auto`) in a column that was added to an existing table. Nodes with an older schema still write
// rows there and do not know the column: the database sets it for them.

import { isAccountTime, type StoredField } from '#model'
import { timeTrigger } from '../../tables/foreign-objects.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'

export const setTimeFunction = 'twain_set_time'

const now = `to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** A node that knows the column always writes it: then neither the default nor the trigger does anything. */
export function* setTimesOfOlderNodes(table: string, column: string, auto: StoredField['auto']): Generator<string> {
  if (auto === null || isAccountTime(auto)) return
  yield `ALTER TABLE ${quoteName(table)} ALTER COLUMN ${quoteName(column)} SET DEFAULT ${now}`
  if (auto === 'CREATE_TIME') return
  yield setTime
  const isOlder = `NEW._version > OLD._version AND NEW.${quoteName(column)} IS NOT DISTINCT FROM OLD.${quoteName(column)}`
  yield `CREATE TRIGGER ${quoteName(timeTrigger(column))} BEFORE UPDATE ON ${quoteName(table)} FOR EACH ROW WHEN (${isOlder}) ` +
    `EXECUTE FUNCTION ${setTimeFunction}(${quoteText(column)})`
}

const setTime =
  `CREATE OR REPLACE FUNCTION ${setTimeFunction}() RETURNS trigger LANGUAGE plpgsql AS ` +
  quoteText(`BEGIN RETURN jsonb_populate_record(NEW, jsonb_build_object(TG_ARGV[0], ${now})); END`)
