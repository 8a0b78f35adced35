// `twain doctor` on stored data that another program changed: rows that the change log does not know, and references to nothing.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { makeTestPlace, testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note @allow { id: ID! text: String! author: User } type User @allow { id: ID! name: String }'
const isSqlite = testedStore === 'sqlite'

test('doctor --deep names rows that are not as the change log says, and references to nothing', async (t) => {
  const { doctor, execute, open } = await prepare(t)
  const service = await open()
  const [ann, ben] = await service.succeed('POST', '/users', [{ name: 'Ann' }, { name: 'Ben' }])
  const notes = await service.succeed('POST', '/notes', [
    { text: 'a', author: ann.id },
    { text: 'b', author: ben.id },
    { text: 'c' },
  ])
  await service.succeed('DELETE', `/notes/${notes[2].id}`)
  await service.succeed('PATCH', `/notes/${notes[1].id}`, { text: 'B' })
  await service.close()
  const whole = await doctor('--deep')
  assert.deepEqual([whole.code, /✓ The stored data is whole\./.test(whole.out)], [0, true], whole.out)

  await execute(`INSERT INTO twain_file (id, name, media_type, size, bytes, created)
    VALUES ('in-s3', 'a.txt', 'text/plain', 1, 'twain/${'0'.repeat(64)}', '2026-11-15T00:00:00.000Z')`)
  const withS3 = await doctor('--deep')
  assert.deepEqual(
    [withS3.code, /^! 1 files are in S3-compatible storage\.\n {2}They were not read\./m.test(withS3.out)],
    [0, true],
  )

  await execute(`UPDATE "Note" SET _version = _version + 1 WHERE id = '${notes[1].id}'`)
  const unguarded = isSqlite ? 'PRAGMA foreign_keys = OFF' : 'SET session_replication_role = replica'
  await execute(`${unguarded}; DELETE FROM "User" WHERE id = '${ann.id}'`)
  const { code, out } = await doctor('--deep')
  assert.equal(code, 1)
  assert.deepEqual(
    out.split('\n').filter((line) => line.startsWith('✗')),
    [
      `✗ 1 rows of Note refer with author to rows of User that do not exist, for example ${ann.id}.`,
      `✗ 1 rows of Note are not as the change log says, for example ${notes[1].id}.`,
      `✗ 1 rows of User are not as the change log says, for example ${ann.id}.`,
    ],
  )
  assert.equal((await doctor()).code, 0) // it looks at neither
})

test('doctor says what a damaged database file is, and what to do', { skip: !isSqlite }, async (t) => {
  const { data, doctor, open } = await prepare(t)
  await (await open()).close()
  const file = join(data, 'twain.db')
  for (const spoil of [() => truncateSync(file, 8192), () => writeFileSync(file, Buffer.alloc(20_000, 0xee))]) {
    spoil()
    const plain = await doctor()
    assert.equal(plain.code, 1)
    assert.match(
      plain.out,
      /✗ The stored data can't be read\.\n {2}The database file is damaged: twain doctor --deep shows how much\. Stop the server.*twain restore/,
    )
    const deep = await doctor('--deep')
    assert.equal(deep.code, 1)
    assert.match(deep.out, /✗ .*twain\.db is damaged: .*\n(?:.*\n)* {2}Stop the service, and restore a backup/)
    assert.doesNotMatch(plain.err + deep.err, /bug in Twain/)
  }
})

async function prepare(t: { after(end: () => unknown): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-deep-'))
  const data = join(folder, 'data')
  const { place, flags, drop } = await makeTestPlace(data)
  t.after(async () => {
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const schema = join(folder, 'schema.graphql')
  writeFileSync(schema, sdl)
  return {
    data,
    open: () => TestService.open(t, sdl, place),
    doctor: (...more: string[]) => command('doctor', schema, ...flags, '--port', '0', ...more),
    async execute(sql: string) {
      if (place.database === null) {
        const database = new DatabaseSync(join(data, 'twain.db'))
        database.exec(sql)
        return database.close()
      }
      const raw = connect(place.database, { size: 1, time: 30 })
      await raw.query(sql).finally(() => raw.end())
    },
  }
}
