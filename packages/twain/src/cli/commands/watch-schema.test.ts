import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchSchema } from './watch-schema.ts'

test('a file that is written, replaced, or removed and created again is noticed, and no other file is', async (t) => {
  const folder = emptyFolder(t)
  const file = join(folder, 'a.graphql')
  writeFileSync(file, '1')
  const expectNoticed = await watching(t, file)
  const remake = () => {
    rmSync(file)
    writeFileSync(file, '3')
  }

  await expectNoticed(() => writeFileSync(join(folder, 'b.graphql'), '2'), 0)
  await expectNoticed(() => writeFileSync(file, '2'), 1)
  await expectNoticed(() => renameSync(join(folder, 'b.graphql'), file), 1)
  await expectNoticed(remake, 1)
  await expectNoticed(() => writeFileSync(join(folder, 'twain.config.ts'), ''), 1)
})

test('files of a folder that are written, added, moved and deleted are noticed, once for all of a change', async (t) => {
  const folder = join(emptyFolder(t), 'schema')
  const path = (...names: string[]) => join(folder, ...names)
  mkdirSync(path('old'), { recursive: true })
  writeFileSync(path('old', 'a.graphql'), '1')
  const expectNoticed = await watching(t, folder)
  const write = (...names: string[]) => writeFileSync(path(...names), String(Math.random()))

  await expectNoticed(() => write('old', 'a.graphql'), 1)
  await expectNoticed(() => Array.from({ length: 60 }, (_, n) => write('old', `${n}.graphql`)), 1)
  await expectNoticed(() => rmSync(path('old', '7.graphql')), 1)
  await expectNoticed(() => {
    mkdirSync(path('new', 'below'), { recursive: true })
    write('new', 'below', 'b.graphql')
  }, 1)
  await expectNoticed(() => write('new', 'below', 'b.graphql'), 1)
  await expectNoticed(() => write('new', 'below', 'c.graphql'), 1)
  await expectNoticed(() => renameSync(path('new'), path('newer')), 1)
  await expectNoticed(() => write('newer', 'below', 'c.graphql'), 1)
  await expectNoticed(() => rmSync(path('newer'), { recursive: true }), 1)
  await expectNoticed(() => writeFileSync(path('..', 'twain.config.ts'), ''), 1)
  for (const other of ['notes.md', '.a.graphql', '../beside.graphql', 'a.graphql~'])
    await expectNoticed(() => write(...other.split('/')), 0)
})

test('a folder that is deleted and made again is noticed, and watched again', async (t) => {
  const folder = join(emptyFolder(t), 'schema')
  mkdirSync(folder)
  const expectNoticed = await watching(t, folder)
  await expectNoticed(() => rmSync(folder, { recursive: true }), 1)
  await expectNoticed(() => mkdirSync(folder), 1)
  await expectNoticed(() => writeFileSync(join(folder, 'a.graphql'), '1'), 1)
})

/** Returns a function that makes a change and expects so many calls. */
async function watching(t: TestContext, schema: string) {
  await sleep(20) // events of earlier changes have passed
  let changes = 0
  const watcher = watchSchema(schema, async () => {
    changes++
  })
  t.after(() => watcher.close())
  return async (change: () => void, expected: number) => {
    changes = 0
    change()
    while (changes < expected) await sleep(5)
    await sleep(120) // no further change may be reported
    assert.equal(changes, expected)
  }
}

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-watch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}
