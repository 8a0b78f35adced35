import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../load-model.ts'

const sdl = `
  type Post @allow(who: "WHO") { id: ID! author: User by: Who team: Team note: Note @relation(inverse: "post") on: Place }
  interface Place { id: ID! }
  type Town implements Place @allow { id: ID! }
  type Note { id: ID! post: Post @unique reader: User }
  type Team { id: ID! members: [Member!]! fans: [User!]! }
  type Member { id: ID! team: Team user: User }
  type User @account { id: ID! email: String @unique }
  union Who = User | Team`

const paths: Record<string, string[]> = {
  author: ['reference'],
  by: ['reference'],
  'team.members.user': ['reference', 'many', 'reference'],
  'team.fans': ['reference', 'links'],
  'note.reader': ['inverse', 'reference'],
  team: ['reference'],
  on: ['reference'],
}

for (const [text, kinds] of Object.entries(paths)) {
  test(`the path "${text}" is read as a list of fields`, () => {
    const { who } = loadModel(sdl.replace('WHO', text), 'test.graphql').resources[0]!.rules[0]!
    assert.ok(who.kind === 'path')
    assert.equal(who.text, text)
    assert.deepEqual(
      who.path.map(({ kind }) => kind),
      kinds,
    )
  })
}

test('anyone, signedIn and self are not paths', () => {
  for (const word of ['anyone', 'signedIn']) {
    const { resources } = loadModel(sdl.replace('WHO', word), 'test.graphql')
    assert.deepEqual(resources[0]!.rules[0]!.who, { kind: word })
  }
})
