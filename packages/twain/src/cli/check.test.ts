import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { run } from './cli.ts'

const sdl = `type User @account @allow(to: [READ]) @allow(who: "self") {
  id: ID!
  email: String! @unique
}
type Post @allow(who: "author") @allow(role: "editor", to: [READ]) {
  id: ID!
  author: User!
}
`

test('a file that is fine is 0, one with mistakes is 2', async (t) => {
  const fine = await check(t, sdl)
  assert.equal(fine.code, 0)
  assert.match(fine.out, /schema\.graphql is fine: 2 resources\.\n$/)
  const wrong = await check(t, 'type Post { id: ID! title: Strin }')
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /Strin/)
  assert.equal(wrong.out, '')
})

test('a file that is fine is told what can be guessed by it', async (t) => {
  const { code, out } = await check(t, 'type A @allow { id: ID! b: Int @unique @allow(role: "x", to: [READ]) }')
  assert.equal(code, 0)
  assert.match(out, /is fine: 1 resources\.\nUnique, so that a right guess is told .*: A\.b \(nobody, operator\)\n$/)
})

test('--access prints who may what and by which line', async (t) => {
  const { code, out } = await check(t, sdl, '--access')
  assert.equal(code, 0)
  assert.equal(
    out,
    `User  schema.graphql:1
  READ
    everyone               always        schema.graphql:1
  CREATE UPDATE DELETE
    nobody, operator       never
    signedIn, role:editor  where self    schema.graphql:1

Post  schema.graphql:5
  READ
    nobody, operator       never
    signedIn               where author  schema.graphql:5
    role:editor            always        schema.graphql:5
  CREATE UPDATE DELETE
    nobody, operator       never
    signedIn, role:editor  where author  schema.graphql:5
`,
  )
})

test('--as is one viewer', async (t) => {
  const { out } = await check(t, sdl, '--access', '--as', 'role:editor')
  assert.match(out, /Post .*\n {2}READ\n {4}role:editor {2}always/)
  assert.doesNotMatch(out, /nobody/)
  assert.match((await check(t, sdl, '--access', '--as', 'role:editor,admin')).out, /role:editor,admin/)
})

test('a viewer that the contract does not know is a misuse', async (t) => {
  const strange = await check(t, sdl, '--access', '--as', 'role:edtor')
  assert.equal(strange.code, 2)
  assert.match(strange.err, /No line names the role "edtor"\. Did you mean "role:editor"\?/)
  assert.match((await check(t, sdl, '--access', '--as', 'ann')).err, /--as takes one of nobody, signedIn, role:editor/)
  assert.match((await check(t, sdl, '--as', 'nobody')).err, /--as goes with --access/)
})

async function check(t: TestContext, text: string, ...flags: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-check-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'schema.graphql')
  writeFileSync(file, text)
  const said = { out: '', err: '' }
  const code = await run(['check', file, ...flags], {
    env: {},
    out: (part) => {
      said.out += part
    },
    err: (part) => {
      said.err += part
    },
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  })
  return { code, out: said.out.replaceAll(`${folder}/`, ''), err: said.err }
}
