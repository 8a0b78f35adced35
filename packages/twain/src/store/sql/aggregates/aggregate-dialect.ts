// The SQL of measures and time parts, which differs between the databases: `sqlite/aggregates/` and `postgres/aggregates/`
// (docs/internals/decisions/0059-exact-aggregates.md).
//
// 1. `value` is SQL of the grouped SELECT. HAVING compares it and ORDER BY sorts by it: it is exact, neither rounded nor in the
//    API's format. The databases compute equal expressions of one SELECT once.
// 2. `json` takes the SQL of that value, best a column of a subquery that has grouped, sorted and limited the groups. Then only
//    the groups of the page are formatted.
// 3. `column` is repeated: it must be a column. What is more (a guarded value, a value behind a reference) belongs into a subquery
//    that the database does not merge with its query (`fence`).

import type { FieldMeasure, StoredType, TimePart } from '#model'
import type { Encoding, ZoneValue } from '../encode.ts'

export interface MeasureSql {
  /** The exact value, NULL where the API has null. */
  value: string
  /** How HAVING binds the canonical values of `measureType` that it compares `value` with. */
  encoding: Encoding
  /** The value as JSON of the API's type. Throws `sumOutOfRange` where a sum of Floats is beyond a double. */
  json(value: string): string
}

export interface TimeKeySql {
  /** Equal for the rows of a group, in the order of the times; NULL for a NULL. */
  value: string
  /** A local `Date`, the first day of the part; or for `HOUR` a `DateTime` with the zone's offset. */
  json(value: string): string
}

/** Binds what the SQL needs to know of a zone, by the zone's canonical name: `(value) => statement.bind(zoneParameter, { kind: 'zone', type: value })`. The zone is a parameter of
 *  the plan, so that all zones share one statement. */
export type BindZone = (value: ZoneValue) => string

export interface AggregateDialect {
  /** The end of a subquery that is not merged with the query around it, so that its expressions are computed once a row. */
  readonly fence: string
  measure(measure: FieldMeasure, type: StoredType, column: string): MeasureSql
  /** The number of rows. */
  count(): MeasureSql
  /** `type` is DateTime or Date; a Date has no zone. */
  timeKey(part: TimePart, type: StoredType, column: string, zone: BindZone): TimeKeySql
}
