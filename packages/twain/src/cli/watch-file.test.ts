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
  const after = async (change: () => void) => {
    change()
    await sleep(120)
    return changes
  }

  assert.equal(await after(() => writeFileSync(join(folder, 'b.graphql'), '2')), 0)
  assert.equal(await after(() => writeFileSync(file, '2')), 1)
  assert.equal(await after(() => renameSync(join(folder, 'b.graphql'), file)), 2)
  assert.equal(await after(remake), 3)
  assert.equal(await after(() => writeFileSync(file, '4')), 4)
})
