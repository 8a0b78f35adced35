import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReloadOutcome } from '#main'
import { loadModel } from '#model'
import { reloader } from './reloader.ts'

test('reports a refused file, and a file that equals the served schema again', async () => {
  const said: string[] = []
  const outcomes: ReloadOutcome[] = [{ kind: 'same' }, { kind: 'kept', reason: new TypeError('odd') }, { kind: 'same' }]
  const surface = {
    env: {},
    out: (text: string) => said.push(`out ${text}`),
    err: (text: string) => said.push(`err ${text}`),
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  }
  const reload = reloader('a.graphql', { reload: async () => outcomes.shift()! }, surface)

  for (let n = 0; n < 3; n++) await reload()

  assert.equal(said.length, 2)
  assert.match(said[0]!, /^err .*odd.*The previous schema stays in service\.\n$/s)
  assert.equal(said[1], 'out ✓ a.graphql is valid again and equals the served schema.\n')
})

test('marks breaking changes that twain start would refuse', async () => {
  let said = ''
  const model = (sdl: string) => loadModel(sdl, 'a.graphql')
  const swapped: ReloadOutcome = {
    kind: 'swapped',
    before: model('type A { id: ID! x: Int }'),
    after: model('type A { id: ID! y: Int }'),
  }
  const surface = {
    env: {},
    out: (text: string) => {
      said += text
    },
    err: () => undefined,
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  }
  await reloader('a.graphql', { reload: async () => swapped }, surface)()
  assert.equal(
    said,
    `✓ a.graphql reloaded:
  field A.x is gone. twain start would refuse this: Put it back; what is to go is served as @deprecated first.
  field A.y is new
`,
  )
})
