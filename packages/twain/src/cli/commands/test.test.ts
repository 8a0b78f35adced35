import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { command } from '../command.fixture.ts'

const sdl = `
type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique }
type Note @allow(to: [READ]) @allow(who: "author") { id: ID! text: String! author: User! @auto(set: VIEWER) }`

async function run(t: TestContext, stories: string) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-stories-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [schema, file] = [join(folder, 'schema.graphql'), join(folder, 'notes.md')]
  writeFileSync(schema, sdl)
  writeFileSync(file, stories)
  const { code, out, err } = await command('test', file, '--schema', schema)
  // On a loaded machine a commit may be slow.
  return { code, out, err: err.replaceAll(`${folder}/`, '').replace(/^slow query .*\n/gm, '') }
}

test('runs each story on a service of its own', async (t) => {
  const result = await run(
    t,
    `## First
\`\`\`story
ann POST /notes {"text": "Hello"} → 201 {"author": "{ann}"} as note
bob GET /notes/{note} → 200 {"author": "{ann}", "remarks": absent}
\`\`\`
## Second
\`\`\`story
anonymous GET /notes → 200 []
operator:admin GET /notes → 200 []
\`\`\``,
  )
  assert.deepEqual(result, { code: 0, out: '✓ First\n✓ Second\n2 stories: 2 passed, 0 failed.\n', err: '' })
})

test('prints the step that failed, and the rule that decided', async (t) => {
  const result = await run(
    t,
    `## Only mine
\`\`\`story
ann POST /notes {"text": "Hello"} → 201 as note
bob DELETE /notes/{note} → 204
\`\`\`
## Others
\`\`\`story
ann POST /notes {"text": "Hello"} → 201 {"text": "hello"}
\`\`\``,
  )
  assert.equal(result.code, 1)
  assert.equal(result.out, '✗ Only mine\n✗ Others\n2 stories: 0 passed, 2 failed.\n')
  assert.match(
    result.err,
    /^notes\.md:4 bob DELETE \/notes\/\{note\} → 204\n {2}the status is 403, not 204: You may not delete the Note "Hello"\. Note: schema\.graphql:3 @allow\(who: "author"\) would allow it\.\nnotes\.md:8 .*\n {2}the answer is \{.*\}, without \{"text": "hello"\}\n$/,
  )
})

test('reports the mistakes of all files before it starts anything', async (t) => {
  const result = await run(t, '## A\n```story\nann asks /notes → 200\n```\n')
  assert.equal(result.code, 2)
  assert.match(result.err, /^error notes\.md:3: "ann asks \/notes → 200" is no step\./)
  assert.match((await run(t, '# Empty\n')).err, /has no story block/)
})
