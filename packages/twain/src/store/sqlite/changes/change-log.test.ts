import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeRecord } from '../../changes/change-log.ts'
import { faultOf, openTestStore, type TestStore } from '../../store.fixture.ts'

const sdl = `
type Note { id: ID! text: String @unique }
type Box { id: ID! lids: [Lid!]! @default(value: [{name: "only"}]) }
type Lid { id: ID! box: Box! name: String @unique }`

const [writers, rounds] = [32, 60]

test('readers that stop and resume get each commit once, while writes are refused, in their middle too', async (t) => {
  const store = await openTestStore(sdl)
  t.after(() => store.close())
  await store.create('Box', {})
  const truth: string[] = []
  let isOver = false
  const reading = Array.from({ length: 3 }, () => read(store, () => isOver))
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(store, writer, truth)))
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
    assert.deepEqual(notes.map(({ id, kind, version }) => `${id} ${kind} ${version}`).sort(), truth.toSorted())
  }
})

/** Many are undone: by a value that is taken, found before anything is written, or by one of a row made along, after. */
async function write(store: TestStore, writer: number, truth: string[]): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const id = `${writer}-${Math.floor(Math.random() * 10)}`
    const { version, created } = await store.replace('Note', id, { text: `${writer} ${round}` })
    truth.push(`${id} ${created ? 'created' : 'updated'} ${version}`)
    const refused = [store.create('Box', {}), store.create('Note', { text: `${writer} ${round}` })]
    for (const { code } of await Promise.all(refused.map(faultOf))) assert.equal(code, 'CONFLICT')
    if (round % 3 > 0) continue
    assert.ok(await store.delete('Note', id))
    truth.push(`${id} deleted ${version + 1}`)
  }
}

async function read({ store: { changes } }: TestStore, isOver: () => boolean): Promise<ChangeRecord[]> {
  const all: ChangeRecord[] = []
  for (;;) {
    const wasOver = isOver()
    let isNews = true
    const end = changes.watch(() => {
      isNews = true
    })
    const until = performance.now() + Math.random() * 50
    while (performance.now() < until || wasOver) {
      if (!isNews) await sleep(1)
      isNews = false
      const found = await changes.read(all.at(-1)?.position ?? 0, 1 + Math.floor(Math.random() * 50))
      all.push(...found)
      if (found.length > 0) isNews = true
      else if (wasOver) break
    }
    end()
    if (wasOver) return all
    await sleep(Math.random() * 20)
  }
}
