// `npm run bench -- import`: `twain import` of a CSV file of plain rows, beside what the database itself does with the same
// file: COPY of PostgreSQL (`--database postgres`), or one prepared INSERT in one transaction of SQLite. Neither checks, logs or
// announces anything. Then an import of 5,000 accounts. ROWS=1000000 sets the number of rows.

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
// @ts-expect-error: the driver has no types of its own
import pg from 'pg'
import { startPostgres } from '../scripts/start-postgres.ts'
import { printTable, type ReportRow } from './table.ts'

const command = join(import.meta.dirname, '../packages/twain/bin/twain.js')
const run = promisify(execFile)

const sdl = `
type Note @allow { id: ID! title: String! n: Int! body: String }
type Person @account @allow { id: ID! email: String! @unique @constraint(format: "email") name: String! }
`

const accounts = 5000
const maxAccountSeconds = 5

export async function measureImport(folder: string, onPostgres: boolean): Promise<string> {
  const rows = Number(process.env.ROWS ?? 1_000_000)
  const file = join(folder, 'notes.csv')
  await writeRows(file, rows)
  chmodSync(folder, 0o755) // the user of PostgreSQL reads the file
  const schema = join(folder, 'schema.graphql')
  writeFileSync(schema, sdl)
  const people = join(folder, 'people.csv')
  writeFileSync(people, `email,name\n${peopleRows()}`)
  const server = onPostgres ? await startPostgres() : null
  try {
    const place = server === null ? ['--data', join(folder, 'data')] : ['--database', server.address]
    const importOf = (what: string, type: string, ...flags: string[]) =>
      run(process.execPath, [command, 'import', what, '--type', type, ...flags, '--schema', schema, ...place])
    const imported = await seconds(() => importOf(file, 'Note', '--keep-ids'))
    const plain = await seconds(async () => (server === null ? insertAll(folder, file) : copyAll(server.address, file)))
    const rate = (time: number, count = rows) => `${Math.round(count / time)} rows/s (${time.toFixed(1)} s)`
    const row: ReportRow = {
      what: `import of ${rows} rows, beside ${onPostgres ? 'COPY' : 'a prepared INSERT'}`,
      twain: rate(imported),
      comparedWith: rate(plain),
      figure: `${(imported / plain).toFixed(1)} ×`,
      target: '',
      met: null,
    }
    const { stdout } = await importOf(people, 'Person')
    const created = Number(/ in ([\d.]+) s\./.exec(stdout)![1])
    const accountsRow: ReportRow = {
      what: `import of ${accounts} accounts, without the start of the command`,
      twain: rate(created, accounts),
      comparedWith: '',
      figure: `${created.toFixed(1)} s`,
      target: `< ${maxAccountSeconds} s`,
      met: created < maxAccountSeconds,
    }
    return printTable([row, accountsRow])
  } finally {
    await server?.stop()
  }
}

async function writeRows(file: string, rows: number): Promise<void> {
  const stream = createWriteStream(file)
  stream.write('id,title,n,body\n')
  for (let n = 0; n < rows; n++) {
    const line = `note-${n},Title of the note ${n},${n},${'A text of about a hundred characters. '.repeat(3)}\n`
    if (!stream.write(line)) await once(stream, 'drain')
  }
  stream.end()
  await finished(stream)
}

function peopleRows(): string {
  return Array.from({ length: accounts }, (_, n) => `person-${n}@example.org,Person ${n}\n`).join('')
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

async function insertAll(folder: string, file: string): Promise<void> {
  const database = new DatabaseSync(join(folder, 'plain.db'))
  database.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT, n INTEGER, body TEXT); BEGIN',
  )
  const insert = database.prepare('INSERT INTO note VALUES (?, ?, ?, ?)')
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  for (const line of lines) insert.run(...(line.split(',') as [string, string, string, string]))
  database.exec('COMMIT')
  database.close()
}

async function copyAll(address: string, file: string): Promise<void> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    await client.query('CREATE TABLE plain_note (id text PRIMARY KEY, title text, n integer, body text)')
    await client.query(`COPY plain_note FROM '${file}' CSV HEADER`)
  } finally {
    await client.end()
  }
}
