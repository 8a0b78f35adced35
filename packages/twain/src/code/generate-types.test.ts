import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { generateTypes } from './generate-types.ts'

const sdl = 'type User @account { id: ID! email: String! @unique picture: File }'

test('on request the types of the server itself are there, without the writes that they do not have', () => {
  const model = loadModel(sdl, 'x.graphql')
  const names = (text: string) => [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name!)
  const [without, all] = [names(generateTypes(model, 'x.graphql')), names(generateTypes(model, 'x.graphql', true))]
  const more = all.filter((name) => !without.includes(name))
  for (const type of model.system.resources) {
    for (const end of ['Row', 'Where', 'Order']) assert.ok(more.includes(`${type.name}${end}`), type.name + end)
  }
  for (const name of ['BackgroundJobState', 'BackgroundJobAttempt', 'BackgroundJobUpdate', 'FileRow']) {
    assert.ok(more.includes(name), name)
  }
  // Fields of the schema refer to files.
  for (const name of ['FileWhere', 'FileOrder']) assert.ok(without.includes(name), name)
  for (const name of ['TokenCreate', 'TokenUpdate', 'FileCreate', 'BackgroundJobCreate']) assert.ok(!all.includes(name))
  assert.equal(new Set(all).size, all.length)
  const row = /export interface TokenRow \{([^}]*)\}/.exec(generateTypes(model, 'x.graphql', true))![1]!
  assert.deepEqual(row.trim().split(/\n\s*/), [
    ...['id: string', 'account: string | null', 'how: TokenMethod | null', 'client: string | null'],
    ...['address: string | null', 'current: boolean | null', 'createdAt: string | null'],
    ...['lastUsedAt: string | null', 'expiresAt: string', 'actor: string | null', 'by: string | null'],
    ...['role: string | null', 'readOnly: boolean | null', 'reason: string | null', '_version: number'],
  ])
})

test('an update of an account takes its password and its lock', () => {
  const update = /interface UserUpdate \{([^}]*)\}/.exec(generateTypes(loadModel(sdl, 'x.graphql'), 'x.graphql'))![1]!
  assert.match(update, /password\?: string\s+currentPassword\?: string\s+_locked\?: boolean/)
})

test('an account type has a type for the client', () => {
  const generate = (text: string) => generateTypes(loadModel(text, 'x.graphql'), 'x.graphql')
  const people = 'type Person @account(login: "handle") @resource(path: "people") { id: ID! handle: String! @unique }'
  assert.match(
    generate(people),
    /export interface AuthAccount \{\n {2}path: '\/people'\n {2}login: 'handle'\n {2}create: PersonCreate\n\}/,
  )
  assert.doesNotMatch(generate('type Note @allow { id: ID! }'), /AuthAccount/)
})
