import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReloadOutcome } from '#main'
import { loadModel } from '#model'
import { reloader, watchFile } from './reload.ts'

test('reports a refused file, and a file that equals the served schema again', async () => {
  const output: string[] = []
  const outcomes: ReloadOutcome[] = [
    { kind: 'same' },
    { kind: 'rejected', reason: new TypeError('odd') },
    { kind: 'same' },
  ]
  const surface = {
    env: {},
    out: (text: string) => output.push(`out ${text}`),
    err: (text: string) => output.push(`err ${text}`),
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  }
  const reload = reloader('a.graphql', { reload: async () => outcomes.shift()! }, surface)

  for (let n = 0; n < 3; n++) await reload()

  assert.equal(output.length, 2)
  assert.match(output[0]!, /^err .*odd.*The previous schema stays in service\.\n$/s)
  assert.equal(output[1], 'out ✓ a.graphql is valid again and equals the served schema.\n')
})

test('marks breaking changes that twain start would refuse', async () => {
  let output = ''
  const model = (sdl: string) => loadModel(sdl, 'a.graphql')
  const swapped: ReloadOutcome = {
    kind: 'swapped',
    before: model('type A { id: ID! x: Int }'),
    after: model('type A { id: ID! y: Int }'),
  }
  const surface = {
    env: {},
    out: (text: string) => {
      output += text
    },
    err: () => undefined,
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  }
  await reloader('a.graphql', { reload: async () => swapped }, surface)()
  assert.equal(
    output,
    `✓ a.graphql reloaded:
  field A.x was removed. twain start would refuse this: Put it back, and mark it as @deprecated before you remove it. If you renamed it, write @was(name: "x") on the new field.
  field A.y is new
`,
  )
})

test('a file that is written, replaced, or removed and created again is noticed, and no other file is', async (t) => {
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
  const expectNoticed = async (change: () => void, expected: number) => {
    change()
    while (changes < expected) await sleep(5)
    await sleep(120) // no further change may be reported
    assert.equal(changes, expected)
  }

  await expectNoticed(() => writeFileSync(join(folder, 'b.graphql'), '2'), 0)
  await expectNoticed(() => writeFileSync(file, '2'), 1)
  await expectNoticed(() => renameSync(join(folder, 'b.graphql'), file), 2)
  await expectNoticed(remake, 3)
  await expectNoticed(() => writeFileSync(file, '4'), 4)
})
