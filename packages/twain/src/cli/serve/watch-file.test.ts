import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchFile } from './watch-file.ts'

test('notices a file that is written, replaced, or removed and made again, and no other', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-watch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'a.graphql')
  writeFileSync(file, '1')
  await sleep(20)
  let changes = 0
  const watcher = watchFile(file, async () => {
    changes++
  })
  t.after(() => watcher.close())
  const remake = () => {
    rmSync(file)
    writeFileSync(file, '3')
  }
  const expectNoticed = async (change: () => void, wanted: number) => {
    change()
    while (changes < wanted) await sleep(5)
    await sleep(120) // in which no more are to come
    assert.equal(changes, wanted)
  }

  await expectNoticed(() => writeFileSync(join(folder, 'b.graphql'), '2'), 0)
  await expectNoticed(() => writeFileSync(file, '2'), 1)
  await expectNoticed(() => renameSync(join(folder, 'b.graphql'), file), 2)
  await expectNoticed(remake, 3)
  await expectNoticed(() => writeFileSync(file, '4'), 4)
})
