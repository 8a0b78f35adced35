// A schema with everything that databases do differently: every scalar, texts that collations order differently, unique fields alone
// and together, references that restrict, cascade and become null, links, value objects, owned rows, states, search.

import type { RuleSchema } from '../rules/rule-schemas.ts'

export const everything: RuleSchema = {
  name: 'everything',
  sdl: `
    type User @account(login: "name") @allow(to: [READ, CREATE]) @allow(who: "self", to: [UPDATE, DELETE]) {
      id: ID! name: String! @unique roles: [String!] shops: [Shop!]!
    }
    enum Mood { calm WILD Zany }
    enum State { NEW @next(to: [OPEN]) OPEN @next(to: [SHUT, NEW], role: "editor") @next(to: [SHUT], where: {number: {gt: 0}}) SHUT }
    type Place { city: String zip: Int price: Decimal since: DateTime mood: Mood }
    interface Named { id: ID! name: String }
    type Shop implements Named @allow(to: [READ]) @allow(who: "owner") @allow(role: "editor") {
      id: ID!
      name: String @index @search
      state: State! @default(value: NEW)
      code: String @unique
      number: Int @unique(with: ["owner"])
      size: Float @index
      price: Decimal @index
      count: BigInt
      open: Boolean
      since: DateTime
      day: Date
      mood: Mood
      key: ID
      place: Place
      labels: [String!]
      scores: [Float]
      meta: JSON
      secret: String @allow(who: "owner", to: [READ])
      owner: User! @default(value: VIEWER)
      made: DateTime! @auto(set: CREATE_TIME)
      changed: DateTime! @auto(set: UPDATE_TIME)
      items: [Item!]! @relation(inverse: "shop")
      tags: [Tag!]!
      licence: Licence @relation(inverse: "shop")
    }
    type Item implements Named @allow {
      id: ID! name: String @search sku: String! @unique weight: Int @constraint(min: 0, max: 9)
      shop: Shop!
      parent: Item
      children: [Item!]! @relation(inverse: "parent")
      about: Named
      notes: [Note!]!
    }
    type Note @allow { id: ID! text: String! @constraint(maxLength: 12) item: Item! @relation(onDelete: CASCADE) }
    type Licence @allow { id: ID! text: String shop: Shop! @unique @relation(onDelete: CASCADE) }
    type Tag @allow { id: ID! word: String! @unique shops: [Shop!]! items: [Item!]! }
    union Thing = Shop | Item | Tag
    type Pin @allow { id: ID! of: Thing rank: Int }`,
  rows: [
    ['User', { id: 'ann', name: 'ann', roles: [] }],
    ['User', { id: 'bob', name: 'bob', roles: [] }],
    ['User', { id: 'eve', name: 'eve', roles: ['editor'] }],
    ['Tag', { id: 'g1', word: 'hot' }],
    ['Tag', { id: 'g2', word: 'Hot' }],
    ['Shop', { id: 's1', name: 'a', code: 'c1', number: 1, size: 0.1, price: '9.99', owner: 'ann', tags: ['g1'] }],
    ['Shop', { id: 's2', name: 'B', code: 'c2', number: 1, size: 5e-324, count: '10', owner: 'bob', tags: [] }],
    ['Shop', { id: 's3', name: null, code: null, open: false, mood: 'Zany', owner: 'ann', tags: ['g1', 'g2'] }],
    ['Item', { id: 'i1', name: 'é', sku: 'k1', weight: 3, shop: 's1', parent: null, about: 's2' }],
    ['Item', { id: 'i2', name: 'a_b', sku: 'k2', weight: null, shop: 's1', parent: 'i1', about: 'i1' }],
    // Texts that a database may regard as equal.
    ...['A', 'a', 'axb', 'b%', 'bc', 'E', 'ab'].map((name, at): RuleSchema['rows'][number] => [
      'Item',
      { id: `i${at + 3}`, name, sku: `k${at + 3}`, weight: at, shop: 's2', parent: null, about: null },
    ]),
    ['Note', { id: 'n1', text: 'one', item: 'i1' }],
    ['Note', { id: 'n2', text: 'two', item: 'i2' }],
    ['Licence', { id: 'l1', text: 'old', shop: 's1' }],
    ['Pin', { id: 'p1', of: 's1', rank: 1 }],
  ],
}
