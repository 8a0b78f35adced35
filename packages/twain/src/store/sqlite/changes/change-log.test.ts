import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeRecord } from '../../changes/change-log.ts'
import { apiErrorOf, openTestStore, type TestStore } from '../../store.fixture.ts'

const sdl = `
type Note { id: ID! text: String @unique }
type Box { id: ID! lids: [Lid!]! @default(value: [{name: "only"}]) }
type Lid { id: ID! box: Box! name: String @unique }`

const [writers, rounds] = [32, 60]

test('readers that stop and resume get each commit once, while other writes fail at any step', async (t) => {
  const store = await openTestStore(sdl)
  t.after(() => store.close())
  await store.create('Box', {})
  const expected: string[] = []
  let isOver = false
  const reading = Array.from({ length: 3 }, () => read(store, () => isOver))
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(store, writer, expected)))
  isOver = true
  for (const changes of await Promise.all(reading)) {
    const versions = new Map<string, number>()
    for (const [index, { position, id, version }] of changes.entries()) {
      assert.equal(position, index + 1)
      assert.ok(version > (versions.get(id) ?? 0))
      versions.set(id, version)
    }
    const notes = changes.filter(({ resource }) => resource === 'Note')
    assert.equal(changes.length - notes.length, 2) // the one box and its lid
    assert.deepEqual(notes.map(({ id, kind, version }) => `${id} ${kind} ${version}`).sort(), expected.toSorted())
  }
})

/** Many writes are rolled back: by a conflict that is found before anything is written, or by one of a child row, after. */
async function write(store: TestStore, writer: number, expected: string[]): Promise<void> {
  const deletes = Array.from({ length: 10 }, () => 0)
  for (let round = 0; round < rounds; round++) {
    const which = Math.floor(Math.random() * deletes.length)
    const id = `${writer}-${which}-${deletes[which]}` // a deleted id can't be used again
    const { version, created } = await store.replace('Note', id, { text: `${writer} ${round}` })
    expected.push(`${id} ${created ? 'created' : 'updated'} ${version}`)
    const refused = [store.create('Box', {}), store.create('Note', { text: `${writer} ${round}` })]
    for (const { code } of await Promise.all(refused.map(apiErrorOf))) assert.equal(code, 'CONFLICT')
    if (round % 3 > 0) continue
    assert.ok(await store.delete('Note', id))
    expected.push(`${id} deleted ${version + 1}`)
    deletes[which]!++
  }
}

async function read({ store: { changes } }: TestStore, isOver: () => boolean): Promise<ChangeRecord[]> {
  const all: ChangeRecord[] = []
  for (;;) {
    const wasOver = isOver()
    let mayHaveMore = true
    const end = changes.watch(() => {
      mayHaveMore = true
    })
    const until = performance.now() + Math.random() * 50
    while (performance.now() < until || wasOver) {
      if (!mayHaveMore) await sleep(1)
      mayHaveMore = false
      const found = await changes.read(changes.point(all.at(-1)?.position ?? 0), 1 + Math.floor(Math.random() * 50))
      all.push(...found)
      if (found.length > 0) mayHaveMore = true
      else if (wasOver) break
    }
    end()
    if (wasOver) return all
    await sleep(Math.random() * 20)
  }
}
