import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReloadOutcome } from '#main'
import { loadModel } from '#model'
import { reloader } from './reload.ts'

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

test('marks breaking changes that twain start would refuse, and repeats warnings', async () => {
  let output = ''
  const staff = `type User @account @allow(role: "STAF") { id: ID! email: String! @unique role: Role } enum Role { STAFF }`
  const model = (sdl: string) => loadModel(sdl, 'a.graphql')
  const swapped: ReloadOutcome = {
    kind: 'swapped',
    before: model(`type A { id: ID! x: Int } ${staff}`),
    after: model(`type A { id: ID! y: Int } ${staff}`),
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
  role  a.graphql:1 No account can have the role "STAF": Role has no such value. Did you mean "STAFF"?
`,
  )
})
