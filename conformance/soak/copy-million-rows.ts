// `npm run soak -- copy-million-rows`: how long `twain copy` takes for a million rows there and back, and how much memory: at most
// three minutes and 200 MB each way. There are files too, together larger than that memory. `copy-million-rows=100000` copies fewer.
// stores: sqlite + postgres

import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openService } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { pathOfKey } from '../../packages/twain/src/store/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

const rows = Number(process.argv[2] ?? 1_000_000)
const files = { count: 24, size: 10 * 1024 * 1024 }
const limits = { seconds: 180, megabytes: 200 }

const sdl = `
type Author @allow { id: ID!, name: String! @unique }
type Post @allow { id: ID!, title: String! @index, body: String!, rating: Float, open: Boolean!, at: DateTime! @index, author: Author!, cover: File }
`

const command = join(import.meta.dirname, '../../packages/twain/bin/twain.js')
const folder = mkdtempSync(join(tmpdir(), 'twain-million-'))
const database = await makeTestDatabase()
try {
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  await fill(first)
  await measure('SQLite to PostgreSQL', first, database.address)
  await measure('PostgreSQL to SQLite', database.address, second)
} finally {
  await database.drop()
  rmSync(folder, { recursive: true })
}

/** By hand: the copy is what is measured. */
async function fill(data: string): Promise<void> {
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const log = { info() {}, warn() {}, error() {} }
  await (await openService({ schemaFile, data, limits: defaultLimits, log })).close()
  const file = new DatabaseSync(join(data, 'twain.db'))
  file.exec(`
    PRAGMA synchronous = OFF; BEGIN;
    WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000)
    INSERT INTO Author (_n, id, _version, name) SELECT n, 'a' || n, 1, 'Author ' || n FROM i;
    WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ${rows})
    INSERT INTO Post (_n, id, _version, title, body, rating, open, at, author)
    SELECT n, printf('p%09d', n), 1, 'Title ' || (n * 7919 % 1000003), printf('%.200c', 'x'), n / 7.0, n % 2,
      '2026-01-01T00:00:00.000Z', 'a' || (1 + n % 1000) FROM i;
    INSERT INTO twain_change (resource, id, kind, version, time, after)
    SELECT 'Post', id, 'create', 1, at, json_object('title', title) FROM Post WHERE _n % 10 = 0;
    COMMIT`)
  const add = file.prepare(
    `INSERT INTO twain_file (id, name, media_type, size, bytes, created) VALUES (?, 'x', 'a/b', ?, ?, ?)`,
  )
  for (let n = 0; n < files.count; n++) {
    const bytes = randomBytes(files.size)
    const key = createHash('sha256').update(bytes).digest('hex')
    const path = pathOfKey(join(data, 'files'), key)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    add.run(`f${n}`, files.size, key, new Date().toISOString())
  }
  file.close()
}

async function measure(title: string, from: string, to: string): Promise<void> {
  const began = performance.now()
  const child = spawn(process.execPath, [command, 'copy', '--move', '--from', from, '--to', to], { stdio: 'inherit' })
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid!))
  }, 20)
  const [code] = await once(child, 'exit')
  clearInterval(look)
  const seconds = (performance.now() - began) / 1000
  const isWithin = code === 0 && seconds <= limits.seconds && peak <= limits.megabytes
  console.log(`${title}: ${seconds.toFixed(1)} s, ${peak} MB at most${isWithin ? '' : ' (too much)'}`)
  if (!isWithin) process.exitCode = 1
}

/** The most that it ever had, in MB, as Linux counts it; 0 elsewhere, or when it has ended. */
function memoryOf(pid: number): number {
  try {
    const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kilobytes) / 1024)
  } catch {
    return 0
  }
}
