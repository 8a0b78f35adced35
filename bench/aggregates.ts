// `npm run bench -- aggregates`: groups of 1,000,000 rows through the REST API of a service in this process, beside the same SQL by
// hand on the same tables, on both databases. By hand sums of Decimals and Floats are doubles on SQLite, which lose digits, and there
// are no time zones.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { bodyText, plainRequest } from '../packages/twain/src/base/http/index.ts'
import { decimalSortKey } from '../packages/twain/src/base/index.ts'
import { openService, type Service } from '../packages/twain/src/main/index.ts'
import { defaultLimits } from '../packages/twain/src/plan/index.ts'
import { openPgPool } from './pg-pool.ts'
import { startServer } from './postgres.ts'
import { median } from './reads.ts'
import type { ReportRow } from './table.ts'

const rowCount = Number(process.env.TWAIN_BENCH_ROWS ?? 1_000_000)
const rounds = 3
const target = 1.5
const schemaFile = join(import.meta.dirname, 'aggregates.graphql')
const silent = { info() {}, warn() {}, error() {} }

export interface AggregatesOutcome {
  aggregates: AggregateResult[]
}

interface AggregateResult {
  name: string
  store: 'SQLite' | 'PostgreSQL'
  /** Milliseconds, medians. */
  twain: number
  byHand: number
  ratio: number
}

interface AggregateCase {
  name: string
  path: string
  sqlite: string
  postgres: string
}

const sqliteTotal = `CAST(substr(total, instr(total, ' ') + 1) AS REAL)`
const postgresTotal = `substr(total, strpos(total, ' ') + 1)::numeric`

const cases: AggregateCase[] = [
  {
    name: 'count by status',
    path: '/orders?groupBy=status&fields=status,_count',
    ...both('SELECT status, count(*) FROM "Order" GROUP BY status'),
  },
  {
    name: 'count, sum, avg of Int by status',
    path: '/orders?groupBy=status&fields=status,_count,_sum.pieces,_avg.pieces',
    ...both('SELECT status, count(*), sum(pieces), avg(pieces) FROM "Order" GROUP BY status'),
  },
  {
    name: 'count, sum, avg of Decimal by status',
    path: '/orders?groupBy=status&fields=status,_count,_sum.total,_avg.total',
    sqlite: `SELECT status, count(*), sum(${sqliteTotal}), avg(${sqliteTotal}) FROM "Order" GROUP BY status`,
    postgres: `SELECT status, count(*), sum(${postgresTotal}), avg(${postgresTotal}) FROM "Order" GROUP BY status`,
  },
  {
    name: 'count, sum, avg of Float by status',
    path: '/orders?groupBy=status&fields=status,_count,_sum.weight,_avg.weight',
    ...both('SELECT status, count(*), sum(weight), avg(weight) FROM "Order" GROUP BY status'),
  },
  {
    name: 'count by month, UTC',
    path: '/orders?groupBy=placed(month)&fields=placed,_count',
    ...both('SELECT substr(placed, 1, 7), count(*) FROM "Order" GROUP BY 1'),
  },
  {
    name: 'count, sum of Int by month, Oslo',
    path: '/orders?groupBy=placed(month)&timeZone=Europe/Oslo&fields=placed,_count,_sum.pieces',
    sqlite: `SELECT substr(placed, 1, 7), count(*), sum(pieces) FROM "Order" GROUP BY 1`,
    postgres: `SELECT date_trunc('month', placed::timestamptz AT TIME ZONE 'Europe/Oslo'), count(*), sum(pieces) FROM "Order" GROUP BY 1`,
  },
]

function both(sql: string): Pick<AggregateCase, 'sqlite' | 'postgres'> {
  return { sqlite: sql, postgres: sql }
}

export async function measureAggregates(folder: string): Promise<AggregatesOutcome> {
  const onSqlite = await measureSqlite(join(folder, 'sqlite'))
  const onPostgres = await measurePostgres(join(folder, 'postgres'))
  return { aggregates: [...onSqlite, ...onPostgres] }
}

async function measureSqlite(data: string): Promise<AggregateResult[]> {
  await (await open(data, null)).close()
  const file = join(data, 'twain.db')
  const filled = new DatabaseSync(file)
  fillSqlite(filled)
  filled.close()
  const database = new DatabaseSync(file, { readOnly: true })
  database.exec('PRAGMA cache_size = -16000; PRAGMA mmap_size = 268435456')
  const service = await open(data, null)
  try {
    return await measure('SQLite', service, async ({ sqlite }) => database.prepare(sqlite).all().length)
  } finally {
    await service.close()
    database.close()
  }
}

async function measurePostgres(data: string): Promise<AggregateResult[]> {
  const server = await startServer()
  const pool = openPgPool(server.address)
  try {
    await (await open(data, server.address)).close()
    await pool.rows(fillPostgres)
    await pool.rows('ANALYZE "Order"')
    const service = await open(data, server.address)
    try {
      return await measure('PostgreSQL', service, async ({ postgres }) => (await pool.rows(postgres)).length)
    } finally {
      await service.close()
    }
  } finally {
    await pool.end()
    await server.stop()
  }
}

function open(data: string, database: string | null): Promise<Service> {
  return openService({
    schemaFile,
    data,
    database,
    limits: { ...defaultLimits, cost: 0, timeSeconds: 300 },
    log: silent,
  })
}

/** Rounds alternate, so that both meet the same load of the machine. */
async function measure(
  store: AggregateResult['store'],
  service: Service,
  byHand: (one: AggregateCase) => Promise<number>,
): Promise<AggregateResult[]> {
  const results: AggregateResult[] = []
  for (const one of cases) {
    const times: { twain: number; byHand: number }[] = []
    for (let round = 0; round <= rounds; round++) {
      const [twain, groups] = await timed(() => groupsOf(service, one.path))
      const [hand, expected] = await timed(() => byHand(one))
      if (groups !== expected && !one.name.endsWith('Oslo'))
        throw new Error(`${one.name}: ${groups} groups, not ${expected}`)
      if (round > 0) times.push({ twain, byHand: hand }) // the first round warms up
    }
    const [twain, hand] = [median(times.map((time) => time.twain)), median(times.map((time) => time.byHand))]
    results.push({
      name: one.name,
      store,
      twain,
      byHand: hand,
      ratio: median(times.map((time) => time.twain / time.byHand)),
    })
  }
  return results
}

async function timed<T>(run: () => Promise<T>): Promise<[milliseconds: number, result: T]> {
  const began = performance.now()
  const result = await run()
  return [performance.now() - began, result]
}

async function groupsOf(service: Service, path: string): Promise<number> {
  const reply = await service.handleAsSystem(plainRequest('GET', `${path}&limit=1000`))
  const text = await bodyText(reply)
  if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.status} ${text}`)
  return (JSON.parse(text) as unknown[]).length
}

const statuses = ['OPEN', 'PAID', 'SENT', 'LOST']
const firstMoment = Date.UTC(2023, 0)

/** The rows by their numbers, the same as those of `fillPostgres`. */
function fillSqlite(database: DatabaseSync): void {
  const insert = database.prepare(
    'INSERT INTO "Order" (_n, id, _version, status, pieces, total, weight, placed) VALUES (?, ?, 1, ?, ?, ?, ?, ?)',
  )
  database.exec('BEGIN')
  for (let n = 1; n <= rowCount; n++) {
    const total = `${10 + (n % 90)}.${1 + (n % 9)}`
    const placed = new Date(firstMoment + (n % 1_000_003) * 94_000).toISOString()
    insert.run(n, `o${n}`, statuses[n % 4]!, n % 1000, `${decimalSortKey(total)} ${total}`, (n % 10_000) / 100, placed)
  }
  database.exec('COMMIT; ANALYZE')
}

const fillPostgres = `
  INSERT INTO "Order" (_n, id, _version, status, pieces, total, weight, placed)
  SELECT n, 'o' || n, 1, (ARRAY['OPEN', 'PAID', 'SENT', 'LOST'])[n % 4 + 1], n % 1000,
    '1002' || (10 + n % 90) || (1 + n % 9) || ' ' || (10 + n % 90) || '.' || (1 + n % 9), (n % 10000) / 100.0,
    to_char(timestamp '2023-01-01' + (n % 1000003) * interval '94 seconds', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
  FROM generate_series(1, ${rowCount}) AS n`

export function aggregateRows({ aggregates }: AggregatesOutcome): ReportRow[] {
  return aggregates.map(({ name, store, twain, byHand, ratio }) => ({
    what: `${store}: ${name}`,
    twain: `${twain.toFixed(0)} ms`,
    comparedWith: `by hand ${byHand.toFixed(0)} ms`,
    figure: `${ratio.toFixed(2)} ×`,
    target: `≤ ${target} ×`,
    met: ratio <= target,
  }))
}
