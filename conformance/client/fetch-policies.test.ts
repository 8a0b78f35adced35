// Runs every situation through our client and through Apollo Client 4, against the same server.
// stores: sqlite

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { apolloDriver, type Driver, ourDriver } from './drivers.ts'
import { Library } from './open-library.ts'
import { type Situation, situations } from './situations.ts'

describe('fetch policies and error policies, compared with Apollo Client 4', () => {
  let library: Library
  before(async () => {
    library = await Library.open()
  })
  after(() => library.close())

  async function play(situation: Situation, open: (library: Library) => Driver): Promise<unknown> {
    library.before = null
    library.behind = null
    const book = { id: '', title: `a book ${situations.indexOf(situation)} ${open.name}`.slice(0, 40) }
    book.id = (await library.book({ title: book.title, secret: 'hidden' })).id
    library.sent.length = 0
    const seen = await situation.play({
      driver: open(library),
      library,
      book,
      sentOperations: () => library.sentOperations(),
      async rest() {
        // Both clients notify watchers in the same turn or by a timer of 0 ms.
        do await pause(5)
        while (library.pending > 0)
        await pause(15)
      },
    })
    // Each of the two gets a book of its own; nothing else differs.
    return JSON.parse(
      JSON.stringify(seen ?? null)
        .replaceAll(book.id, 'ID')
        .replaceAll(book.title, 'TITLE'),
    )
  }

  test('docs/reference/client.md lists every difference, and how many situations there are', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/reference/client.md'), 'utf8')
    assert.ok(page.includes(` ${situations.length} situations `))
    for (const { differs } of situations) assert.ok(differs === undefined || page.includes(`| ${differs} |`), differs)
  })

  for (const situation of situations)
    test(situation.title, async () => {
      const ours = await play(situation, ourDriver)
      const theirs = await play(situation, apolloDriver)
      if (situation.differs === undefined) assert.deepEqual(ours, theirs)
      else assert.notDeepEqual(ours, theirs, `no difference any more: ${situation.differs}`)
    })
})
