// One column of grouped values in a database, to measure.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FieldMeasure, ScalarName, StoredType, TimePart } from '#model'
import { type StoreName, testedStore } from '#test-place'
import { postgres } from '../../postgres/dialect.ts'
import { columnType } from '../../postgres/scalar-columns.ts'
import { makePreparedDatabase } from '../../postgres/test-database.fixture.ts'
import { openWriteConnection } from '../../sqlite/connect/connect.ts'
import { sqlite } from '../../sqlite/dialect.ts'
import { storageClass } from '../../sqlite/scalar-columns.ts'
import { noStorageCodes } from '../../tables/storage-codes.ts'
import { bind } from '../bind.ts'
import type { Dialect } from '../dialect.ts'
import type { SqlValue } from '../encode.ts'
import { StatementBuilder } from '../statement-builder.ts'
import type { MeasureSql, TimeKeySql } from './aggregate-dialect.ts'

interface TestTables {
  dialect: Dialect
  columnType(type: StoredType): string
  query(sql: string, parameters: SqlValue[]): Promise<unknown[][]>
  close(): Promise<void>
}

/** Canonical values, each with its group. */
export type GroupedValues = readonly (readonly [group: number, value: unknown])[]

export interface TestAggregates {
  fill(scalar: ScalarName, values: GroupedValues): Promise<void>
  /** The API's value of each group, in the order of the groups. */
  measure(measure: FieldMeasure): Promise<unknown[]>
  /** The groups that HAVING lets pass. */
  having(measure: FieldMeasure, operator: string, value: unknown): Promise<number[]>
  /** The groups in the order of their measure, then of their numbers. */
  order(measure: FieldMeasure): Promise<number[]>
  /** Each part of time, in order, with the number of its rows. */
  byTime(part: TimePart, timeZone: string): Promise<[key: unknown, count: number][]>
  /** The last statement. */
  readonly sql: string
  close(): Promise<void>
}

export async function openAggregates(): Promise<TestAggregates> {
  const tables = await openTables(testedStore)
  const { dialect } = tables
  let type: StoredType = { kind: 'scalar', name: 'Int' }
  let sql = ''
  const of = (measure: FieldMeasure): MeasureSql => dialect.aggregates.measure(measure, type, 'c')
  const textOf = ({ json }: MeasureSql | TimeKeySql): string => dialect.object([['v', json('s.v')]])
  const run = (text: string, statement = new StatementBuilder(dialect), values: unknown[] = []) => {
    sql = text
    return tables.query(text, bind(statement.parameters, values, { account: null }, dialect))
  }
  return {
    get sql() {
      return sql
    },
    async fill(scalar, values) {
      type = { kind: 'scalar', name: scalar }
      await tables.query('DROP TABLE IF EXISTS t', [])
      await tables.query(`CREATE TABLE t (g INTEGER, c ${tables.columnType(type)})`, [])
      for (let at = 0; at < values.length; at += 200) {
        const rows = values.slice(at, at + 200)
        const statement = new StatementBuilder(dialect)
        const encoding = { kind: 'column', type, codes: noStorageCodes } as const
        const sql = rows.map(([group], index) => `(${group}, ${statement.bind({ index } as never, encoding)})`)
        const bound = rows.map(([, value]) => value)
        await tables.query(
          `INSERT INTO t VALUES ${sql.join(', ')}`,
          bind(statement.parameters, bound, { account: null }, dialect),
        )
      }
    },
    async measure(measure) {
      const sql = of(measure)
      const rows = await run(
        `SELECT ${textOf(sql)} FROM (SELECT g, ${sql.value} AS v FROM t GROUP BY g) AS s ORDER BY g`,
      )
      return rows.map(([text]) => jsonOf(text))
    },
    async having(measure, operator, value) {
      const statement = new StatementBuilder(dialect)
      const sql = of(measure)
      const bound = statement.bind({ index: 0 } as never, sql.encoding)
      const rows = await run(
        `SELECT g FROM t GROUP BY g HAVING ${sql.value} ${operator} ${bound} ORDER BY g`,
        statement,
        [value],
      )
      return rows.map(([group]) => Number(group))
    },
    async order(measure) {
      const rows = await run(`SELECT g FROM t GROUP BY g ORDER BY ${of(measure).value} NULLS LAST, g`)
      return rows.map(([group]) => Number(group))
    },
    async byTime(part, timeZone) {
      const statement = new StatementBuilder(dialect)
      const zone = { index: 0 } as never
      const key = dialect.aggregates.timeKey(part, type, 'c', (value) =>
        statement.bind(zone, { kind: 'zone', type: value }),
      )
      const groups = `SELECT ${key.value} AS v, count(*) AS n FROM t GROUP BY ${key.value} ORDER BY ${key.value} NULLS LAST`
      const rows = await run(`SELECT ${textOf(key)}, n FROM (${groups}) AS s`, statement, [timeZone])
      return rows.map(([text, count]) => [jsonOf(text), Number(count)])
    },
    close: tables.close,
  }
}

function jsonOf(text: unknown): unknown {
  return (typeof text === 'string' ? JSON.parse(text) : (text as { v: unknown })).v
}

async function openTables(on: StoreName): Promise<TestTables> {
  if (on === 'postgres') {
    const database = await makePreparedDatabase()
    return {
      dialect: postgres,
      columnType,
      query: async (sql, parameters) =>
        (await database.raw.query(sql, parameters as string[])).map((row) => Object.values(row)),
      close: () => database.drop(),
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'twain-aggregates-'))
  const database = openWriteConnection(join(folder, 'twain.db'))
  return {
    dialect: sqlite,
    columnType: storageClass,
    async query(sql, parameters) {
      const statement = database.prepare(sql)
      return statement.all(...parameters).map((row) => Object.values(row))
    },
    async close() {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}
