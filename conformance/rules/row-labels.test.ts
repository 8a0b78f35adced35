// Messages of refused writes name rows by their labels, as far as the viewer can read them (docs/reference/schema.md#labels).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Viewer } from '../../packages/twain/src/base/http/index.ts'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Shelf @allow(role: "admin") @allow(role: "staff") { id: ID! name: String @label }
  type Book @allow(role: "admin") @allow(role: "staff", to: [READ], where: {isSecret: {eq: false}}) {
    id: ID!
    title: String! @label @allow(role: "admin") @allow(role: "staff", to: [READ], where: {isOpen: {eq: true}})
    isOpen: Boolean! @default(value: true)
    isSecret: Boolean! @default(value: false)
    shelf: Shelf!
  }
  type Card @allow(role: "admin") @allow(role: "staff", to: [READ]) {
    id: ID!
    holder: String! @label @allow(role: "admin")
    colour: String!
    shelf: Shelf
  }
`

const withRole = (role: string): Viewer => ({ account: null, roles: [role], authenticated: true, token: null })

describe('labels in messages', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl)
    const put = async (path: string, row: object) => {
      const { status, body } = await apis.as(withRole('admin')).rest('PUT', path, row)
      assert.equal(status, 201, JSON.stringify(body))
    }
    for (const [id, name] of Object.entries({ s1: 'Sea', s2: 'Sky', s3: 'Snow', s4: null })) {
      await put(`/shelves/${id}`, { name })
    }
    await put('/books/knots', { title: 'Knots for "beginners"', shelf: 's1' })
    await put('/books/shut', { title: 'A shut title', isOpen: false, shelf: 's2' })
    await put('/books/secret', { title: 'A secret title', isSecret: true, shelf: 's3' })
    await put('/books/nameless', { title: 'On the shelf without a name', shelf: 's4' })
    await put('/cards/c1', { holder: 'Hidden Holder', colour: 'red' })
  })
  after(() => apis.close())

  /** The message of the refusal, which is the same in both APIs. */
  async function refusal(
    role: 'admin' | 'staff',
    [method, path, body, ifMatch]: [method: string, path: string, body?: object | undefined, ifMatch?: string],
    mutation: string,
  ): Promise<string> {
    const { rest, graphql } = apis.as(withRole(role))
    const answer = await rest(method, path, body, ifMatch === undefined ? {} : { 'if-match': ifMatch })
    assert.ok(answer.status >= 400, `${answer.status}`)
    const { detail, code } = answer.body as { detail: string; code: string }
    const { errors } = await graphql(`mutation { ${mutation} }`)
    assert.deepEqual([errors[0]?.message, errors[0]?.extensions?.code], [detail, code])
    return detail
  }
  const deleteShelf = (role: 'admin' | 'staff', id: string) =>
    refusal(role, ['DELETE', `/shelves/${id}`], `deleteShelf(id: "${id}") { id }`)

  test('a refused delete names the row and one that refers to it', async () => {
    assert.equal(
      await deleteShelf('staff', 's1'),
      `The Shelf "Sea" can't be deleted: books refer to it with "shelf", such as the Book "Knots for \\"beginners\\"" (id "knots").`,
    )
  })

  test('a label that the viewer may not read on that row is left out', async () => {
    assert.equal(
      await deleteShelf('staff', 's2'),
      `The Shelf "Sky" can't be deleted: books refer to it with "shelf", such as the Book (id "shut").`,
    )
    assert.match(await deleteShelf('admin', 's2'), /such as the Book "A shut title" \(id "shut"\)\.$/)
  })

  test('a row that the viewer may not read is not named at all', async () => {
    assert.equal(
      await deleteShelf('staff', 's3'),
      `The Shelf "Snow" can't be deleted: Something that you may not read refers to it.`,
    )
  })

  test('a row without a label has none', async () => {
    assert.match(await deleteShelf('admin', 's4'), /^The Shelf can't be deleted: /)
  })

  test('a stale version and a missing right name the row', async () => {
    assert.equal(
      await refusal(
        'admin',
        ['PATCH', '/books/knots', { isOpen: true }, '"7"'],
        'updateBook(id: "knots", ifVersion: 7, input: {isOpen: true}) { id }',
      ),
      'The Book "Knots for \\"beginners\\"" was to have version 7, but it has version 1.',
    )
    const change = (id: string) =>
      refusal(
        'staff',
        ['PATCH', `/books/${id}`, { isOpen: true }],
        `updateBook(id: "${id}", input: {isOpen: true}) { id }`,
      )
    assert.equal(await change('knots'), 'You may not update the Book "Knots for \\"beginners\\"".')
    assert.equal(await change('shut'), 'You may not update this Book.')
    assert.equal(await change('secret'), 'There is no Book with the id "secret".')
    assert.equal(
      await refusal('staff', ['DELETE', '/books/knots'], 'deleteBook(id: "knots") { id }'),
      'You may not delete the Book "Knots for \\"beginners\\"".',
    )
  })

  test('a refused update of many names the first row by its label and its id', async () => {
    const change = (id: string) =>
      refusal(
        'staff',
        ['PATCH', `/books?id=${id}`, { isOpen: true }],
        `updateBooks(where: {id: {eq: "${id}"}}, input: {isOpen: true}) { count }`,
      )
    assert.equal(
      await change('knots'),
      'You may not update 1 of the 1 books that match. The first is the Book "Knots for \\"beginners\\"" (id "knots"): ' +
        'You may not update the Book "Knots for \\"beginners\\"".',
    )
    assert.match(await change('shut'), /The first is the Book \(id "shut"\): You may not update this Book\.$/)
  })

  test('for a viewer who can never read the label, the next field names the row', async () => {
    assert.equal(
      await refusal('admin', ['DELETE', '/cards/c1', undefined, '"7"'], 'deleteCard(id: "c1", ifVersion: 7) { id }'),
      'The Card "Hidden Holder" was to have version 7, but it has version 1.',
    )
    assert.equal(
      await refusal(
        'staff',
        ['PATCH', '/cards/c1', { colour: 'blue' }],
        'updateCard(id: "c1", input: {colour: "blue"}) { id }',
      ),
      'You may not update the Card "red".',
    )
  })
})
