import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('nested rows of a create', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type User @account @allow { id: ID! email: String! @unique }
      type Order @allow(who: "by") @allow(role: "shop", to: [READ]) {
        id: ID! by: User! @default(value: VIEWER)
        lines: [Line!]! @default(value: [{what: "a bag"}])
        members: [Member!]!
      }
      type Line @allow(who: "order") {
        id: ID! what: String! code: String @unique gift: Boolean @allow(role: "shop", to: [CREATE]) order: Order!
        parts: [Part!]!
        product: Product
      }
      type Part @allow(who: "line") { id: ID! name: String! line: Line! }
      type Product @allow(role: "shop") { id: ID! }
      type Member @allow(who: "order.members.user") @allow(to: [READ]) { id: ID! order: Order! user: User! }
    `,
      { on },
    )
    const unchecked = store.as(null)
    for (const id of ['ann', 'bob']) await unchecked.replace('User', id, { email: id })
    await unchecked.replace('Product', 'p1', {})
    await unchecked.create('Order', { by: 'bob', lines: [{ what: 'taken', code: 'taken' }] })
  })
  after(() => store.close())
  const ann = () => store.as({ account: 'ann' })

  test('are created in its transaction, each with its own change, instead of default children', async () => {
    const from = (await store.changes()).length
    const { id } = await ann().create('Order', { lines: [{ what: 'a', parts: [{ name: 'x' }] }, { what: 'b' }] })
    const read = await ann().one('Order', id, [{ lines: ['what', { parts: ['name'] }] }])
    assert.deepEqual(read, {
      lines: [
        { what: 'a', parts: [{ name: 'x' }] },
        { what: 'b', parts: [] },
      ],
    })
    const changes = (await store.changes()).slice(from)
    assert.deepEqual(
      changes.map(({ resource, kind }) => `${resource} ${kind}`),
      ['Order created', 'Line created', 'Part created', 'Line created'],
    )
    const { id: plain } = await ann().create('Order', {})
    assert.deepEqual(await ann().one('Order', plain, [{ lines: ['what'] }]), { lines: [{ what: 'a bag' }] })
  })

  test('are created all or none, and the conflicts of all are reported with their paths', async () => {
    const from = (await store.changes()).length
    const conflicts: [object[], string[]][] = [
      [
        [{ what: 'a', code: 'taken' }, { what: 'b' }, { what: 'c', product: 'nothing' }],
        ['lines.0.code UNIQUE', 'lines.2.product REFERENCE'],
      ],
      [
        [
          { what: 'a', code: 'same' },
          { what: 'b', code: 'same' },
        ],
        ['lines.1.code UNIQUE'],
      ],
      [[{ what: 'a', product: 'p1' }], ['lines.0.product REFERENCE']], // a product that ann can't see
    ]
    for (const [lines, expected] of conflicts) {
      await assert.rejects(ann().create('Order', { lines: lines as never }), (error: Refused) => {
        assert.equal(error.code, 'CONFLICT')
        assert.deepEqual(placesOf(error), expected)
        return true
      })
    }
    assert.equal((await store.changes()).length, from)
  })

  test('are checked by the rules of their own type, before any of them is written', async () => {
    const from = (await store.changes()).length
    const refused: [object, string[]][] = [
      [{ lines: [{ what: 'a' }, { what: 'b', gift: true }] }, ['lines.1.gift READONLY']],
      // A nested row can’t grant access to another, nor to itself.
      [{ members: [{ user: 'ann' }, { user: 'bob' }] }, ['members.0 READONLY', 'members.1 READONLY']],
    ]
    for (const [input, expected] of refused) {
      await assert.rejects(ann().create('Order', input as never), (error: Refused) => {
        assert.equal(error.code, 'FORBIDDEN')
        assert.deepEqual(placesOf(error), expected)
        return true
      })
    }
    await assert.rejects(store.as({ account: 'bob' }).create('Order', { by: 'ann', lines: [{ what: 'a' }] }), {
      code: 'FORBIDDEN',
    })
    assert.equal((await store.changes()).length, from)
  })
})

interface Refused {
  code: string
  problems: { path: string; code: string }[]
}

function placesOf({ problems }: Refused): string[] {
  return problems.map(({ path, code }) => `${path} ${code}`)
}
