// The schemas of the rules suite: each has one kind of rule, and rows that it grants and denies, in an order in which they can be
// created.

import type { Row, Rows, RowsInMemory, ViewRows } from './rows-in-memory.ts'

export interface RuleSchema {
  name: string
  sdl: string
  rows: Rows
  views?: ViewRows
}

/** Accounts that everyone may read, and each owner may change. */
const user = `type User @account(login: "name")
  @allow(to: [READ, CREATE])
  @allow(who: "self", to: [UPDATE, DELETE])`

/** Ann is the owner, Bob is another user, Cat is a member, Eve is an editor. */
const people: Rows = [
  ['User', { id: 'ann', name: 'ann', roles: [] }],
  ['User', { id: 'bob', name: 'bob', roles: [] }],
  ['User', { id: 'cat', name: 'cat', roles: [] }],
  ['User', { id: 'eve', name: 'eve', roles: ['editor'] }],
]

const order = (
  id: string,
  status: string,
  size: number | null,
  customer: string,
  mood: string | null,
  guests: string[],
) => ({ id, title: `t-${id}`, size, customer, status, mood, guests })

const notesOfUsers = JSON.stringify(`SELECT u.name AS name, count(*) AS notes, u.id AS owner, min(n.id) AS first,
  max(n.size) AS largest, count(n.size) AS secret FROM "Note" n JOIN "User" u ON u.id = n.owner GROUP BY u.name, u.id`)

/** What that SELECT returns. */
function summaries(world: RowsInMemory): Row[] {
  const notes = world.spots(world.resource('Note')).map(({ row }) => row)
  return world.spots(world.resource('User')).flatMap(({ row: { id: owner, name } }) => {
    const own = notes.filter((note) => note.owner === owner)
    const sizes = own.flatMap(({ size }) => (size === null ? [] : [Number(size)]))
    if (own.length === 0) return []
    const first = own.map(({ id }) => id).toSorted()[0]
    const largest = sizes.length === 0 ? null : Math.max(...sizes)
    return [{ id: String(name), name, notes: own.length, owner, first, largest, secret: sizes.length }]
  })
}

export const ruleSchemas: RuleSchema[] = [
  {
    name: 'owner',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] notes: [Note!]! }
      type Note @allow(who: "owner") { id: ID! title: String! size: Int owner: User! @default(value: VIEWER) }`,
    rows: [
      ...people,
      ['Note', { id: 'n1', title: 'first', size: 1, owner: 'ann' }],
      ['Note', { id: 'n2', title: 'second', size: null, owner: 'bob' }],
      ['Note', { id: 'n3', title: 'third', size: 3, owner: 'ann' }],
    ],
  },
  {
    name: 'claims',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] }
      type Paper @allow(where: {org: {eq: {claim: "org"}}})
        @allow(to: [READ], where: {and: [{org: {eq: "d"}}, {level: {lt: {claim: "level"}}}]})
        @allow(role: "editor", to: [READ], where: {not: {org: {eq: {claim: "org"}}}})
        @allow(role: "admin") {
        id: ID! title: String! org: String! level: Int!
        note: String @allow(to: [READ], where: {level: {lte: {claim: "level"}}}) @allow(role: "admin")
      }`,
    rows: [
      ...people,
      ['Paper', { id: 'pa1', title: 'one', org: 'a', level: 1, note: 'n1' }],
      ['Paper', { id: 'pa2', title: 'two', org: 'b', level: 2, note: 'n2' }],
      ['Paper', { id: 'pa3', title: 'three', org: 'c', level: 3, note: null }],
      ['Paper', { id: 'pa4', title: 'four', org: 'd', level: 1, note: 'n4' }],
    ],
  },
  {
    // Ann and Eve have proven their addresses.
    name: 'verified',
    sdl: `type User @account @allow(to: [READ, CREATE]) @allow(who: "self", to: [UPDATE, DELETE]) {
        id: ID! email: String! @unique roles: [String!]
      }
      type Idea @allow(who: "author", to: [READ, UPDATE]) @allow(who: "author", verified: true)
        @allow(verified: true, to: [READ], where: {title: {ne: "third"}})
        @allow(role: "editor", verified: true, to: [DELETE]) {
        id: ID! title: String! author: User! @default(value: VIEWER)
        note: String @allow(who: "signedIn", verified: true) @allow(role: "admin")
      }`,
    rows: [
      ...['ann', 'bob', 'cat'].map((id): Rows[number] => ['User', { id, email: `${id}@x.org`, roles: [] }]),
      ['User', { id: 'eve', email: 'eve@x.org', roles: ['editor'] }],
      ['Idea', { id: 'i1', title: 'first', author: 'ann', note: 'n1' }],
      ['Idea', { id: 'i2', title: 'second', author: 'bob', note: 'n2' }],
      ['Idea', { id: 'i3', title: 'third', author: 'bob', note: null }],
    ],
  },
  {
    name: 'published or owner',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] posts: [Post!]! }
      enum Status { DRAFT PUBLISHED }
      type Post @allow(to: [READ], where: {status: {eq: PUBLISHED}}) @allow(who: "author") @allow(role: "admin") {
        id: ID! title: String! status: Status! @default(value: DRAFT) author: User! comments: [Comment!]!
      }
      type Comment @allow(who: "post", to: [READ]) @allow(who: "by", to: [READ, UPDATE, DELETE])
        @allow(who: "by", to: [CREATE], where: {post: {status: {eq: PUBLISHED}}}) {
        id: ID! text: String! post: Post! @relation(onDelete: CASCADE) by: User!
      }`,
    rows: [
      ...people,
      ['Post', { id: 'p1', title: 'open', status: 'PUBLISHED', author: 'ann' }],
      ['Post', { id: 'p2', title: 'draft', status: 'DRAFT', author: 'ann' }],
      ['Post', { id: 'p3', title: 'other', status: 'DRAFT', author: 'bob' }],
      ['Comment', { id: 'c1', text: 'yes', post: 'p1', by: 'bob' }],
      ['Comment', { id: 'c2', text: 'no', post: 'p2', by: 'cat' }],
      ['Comment', { id: 'c3', text: 'so', post: 'p3', by: 'ann' }],
    ],
  },
  {
    name: 'several hops',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] }
      type Firm @allow(who: "boss") { id: ID! title: String! boss: User! projects: [Project!]! }
      type Project @allow(who: "firm.boss") @allow(who: "lead", to: [READ, UPDATE]) {
        id: ID! title: String! firm: Firm! lead: User tasks: [Task!]!
      }
      type Task @allow(who: "project.firm.boss") @allow(who: "project.lead", to: [READ, CREATE])
        @allow(who: "assignee", to: [READ, UPDATE]) {
        id: ID! title: String! weight: Int project: Project! assignee: User
      }`,
    rows: [
      ...people,
      ['Firm', { id: 'f1', title: 'one', boss: 'ann' }],
      ['Firm', { id: 'f2', title: 'two', boss: 'bob' }],
      ['Project', { id: 'j1', title: 'alpha', firm: 'f1', lead: 'cat' }],
      ['Project', { id: 'j2', title: 'beta', firm: 'f2', lead: null }],
      ['Task', { id: 't1', title: 'dig', weight: 5, project: 'j1', assignee: 'eve' }],
      ['Task', { id: 't2', title: 'cut', weight: 2, project: 'j2', assignee: 'cat' }],
      ['Task', { id: 't3', title: 'mow', weight: null, project: 'j1', assignee: null }],
    ],
  },
  {
    name: 'views',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] notes: [Note!]! }
      type Note @allow(who: "owner") { id: ID! title: String! size: Int owner: User! }
      type Summary @allow(to: [READ], where: {notes: {gt: 1}}) @allow(who: "owner") @allow(role: "admin")
        @view(key: ["name"], sqlite: ${notesOfUsers}, postgres: ${notesOfUsers}) {
        name: String! notes: Int! owner: User! first: Note
        largest: Int @allow(who: "owner")
        secret: Int @allow(role: "admin")
      }`,
    rows: [
      ...people,
      ['Note', { id: 'vn1', title: 'one', size: 1, owner: 'ann' }],
      ['Note', { id: 'vn2', title: 'two', size: 5, owner: 'ann' }],
      ['Note', { id: 'vn3', title: 'three', size: null, owner: 'bob' }],
      ['Note', { id: 'vn4', title: 'four', size: 2, owner: 'eve' }],
      ['Note', { id: 'vn5', title: 'five', size: 2, owner: 'eve' }],
    ],
    views: { Summary: summaries },
  },
  {
    name: 'unique keys',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] papers: [Paper!]! }
      type Paper @allow(to: [READ], where: {open: {eq: true}}) @allow(who: "owner") @allow(role: "admin") {
        id: ID! title: String! @unique open: Boolean! owner: User! @default(value: VIEWER) pages: [Page!]!
        code: String @unique @allow(who: "owner")
        seal: String @unique @allow(role: "admin")
      }
      type Page @allow(to: [READ]) @allow(who: "paper.owner") @allow(role: "editor") {
        id: ID! text: String! number: Int! paper: Paper! @unique(with: "number") @relation(onDelete: CASCADE)
      }`,
    rows: [
      ...people,
      ['Paper', { id: 'pp1', title: 'open', open: true, owner: 'ann', code: 'a=1', seal: 'x' }],
      ['Paper', { id: 'pp2', title: 'shut', open: false, owner: 'ann', code: 'b,2', seal: null }],
      ['Paper', { id: 'pp3', title: 'other', open: false, owner: 'bob', code: 'c/3', seal: 'z' }],
      ['Page', { id: 'pg1', text: 'one', number: 1, paper: 'pp1' }],
      ['Page', { id: 'pg2', text: 'two', number: 1, paper: 'pp2' }],
      ['Page', { id: 'pg3', text: 'three', number: 2, paper: 'pp3' }],
    ],
  },
  {
    name: 'teams with memberships',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] memberships: [Membership!]! }
      enum Part { OWNER GUEST }
      type Team @allow(who: "signedIn", to: [CREATE]) @allow(who: "memberships.user", to: [READ])
        @allow(to: [UPDATE, DELETE], where: {memberships: {some: {user: {isViewer: true}, part: {eq: OWNER}}}}) {
        id: ID! title: String! memberships: [Membership!]! @default(value: [{user: VIEWER, part: OWNER}])
        papers: [Paper!]!
      }
      type Membership @allow(who: "team.memberships.user", to: [READ])
        @allow(where: {team: {memberships: {some: {user: {isViewer: true}, part: {eq: OWNER}}}}}) {
        id: ID! part: Part! team: Team! @relation(onDelete: CASCADE) user: User! @unique(with: ["team"])
      }
      type Paper @allow(who: "team") { id: ID! title: String! team: Team! @relation(onDelete: CASCADE) }`,
    rows: [
      ...people,
      ['Team', { id: 'm1', title: 'red' }],
      ['Team', { id: 'm2', title: 'blue' }],
      ['Membership', { id: 's1', part: 'OWNER', team: 'm1', user: 'ann' }],
      ['Membership', { id: 's2', part: 'GUEST', team: 'm1', user: 'cat' }],
      ['Membership', { id: 's3', part: 'OWNER', team: 'm2', user: 'bob' }],
      ['Paper', { id: 'w1', title: 'plan', team: 'm1' }],
      ['Paper', { id: 'w2', title: 'list', team: 'm2' }],
    ],
  },
  {
    name: 'many to many',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] shared: [Todo!]! @relation(inverse: "members") owned: [Todo!]! @relation(inverse: "owner") }
      type Todo @allow(who: "owner") @allow(who: "members", to: [READ, UPDATE]) {
        id: ID! title: String! owner: User! @default(value: VIEWER)
        members: [User!]! @relation(inverse: "shared") items: [Item!]! tags: [Tag!]!
      }
      type Tag @allow(to: [READ]) @allow(role: "editor") { id: ID! word: String! todos: [Todo!]! }
      type Item @allow(who: "todo") { id: ID! text: String! done: Boolean! @default(value: false) todo: Todo! }`,
    rows: [
      ...people,
      ['Todo', { id: 'l1', title: 'home', owner: 'ann', members: ['cat'] }],
      ['Todo', { id: 'l2', title: 'work', owner: 'bob', members: [] }],
      ['Tag', { id: 'g1', word: 'hot', todos: ['l1', 'l2'] }],
      ['Tag', { id: 'g2', word: 'old', todos: ['l2'] }],
      ['Item', { id: 'i1', text: 'milk', done: false, todo: 'l1' }],
      ['Item', { id: 'i2', text: 'call', done: true, todo: 'l2' }],
    ],
  },
  {
    name: 'roles',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] }
      type Article @allow(to: [READ], where: {live: {eq: true}}) @allow(role: "editor", to: [READ, CREATE, UPDATE])
        @allow(role: "admin", to: [READ, DELETE]) @allow(who: "writer", role: "editor", to: [DELETE]) {
        id: ID! title: String! live: Boolean! @default(value: false) writer: User! @default(value: VIEWER)
      }`,
    rows: [
      ...people,
      ['Article', { id: 'a1', title: 'live one', live: true, writer: 'ann' }],
      ['Article', { id: 'a2', title: 'dead one', live: false, writer: 'eve' }],
      ['Article', { id: 'a3', title: 'dead two', live: false, writer: 'bob' }],
    ],
  },
  {
    name: 'values inside JSON',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] records: [Record!]! }
      type Record @allow(to: [READ], where: {data: {path: "level", lte: 1}}) @allow(who: "owner")
        @allow(role: "editor", to: [READ], where: {not: {data: {path: "tag.kind", eq: "x"}}}) {
        id: ID! title: String! owner: User! @default(value: VIEWER) data: JSON notes: JSON @allow(who: "owner")
      }`,
    rows: [
      ...people,
      [
        'Record',
        { id: 'jd1', title: 'one', owner: 'ann', data: { level: 1, tag: { kind: 'x' } }, notes: { level: 2 } },
      ],
      ['Record', { id: 'jd2', title: 'two', owner: 'ann', data: { level: '1' }, notes: null }],
      [
        'Record',
        { id: 'jd3', title: 'three', owner: 'bob', data: { level: 3, tag: null }, notes: { tag: { kind: 'xy' } } },
      ],
      ['Record', { id: 'jd4', title: 'four', owner: 'bob', data: null, notes: { level: 1 } }],
    ],
  },
  {
    name: 'where with isViewer',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] reviews: [Draft!]! @relation(inverse: "reviewers") written: [Draft!]! @relation(inverse: "author") }
      type Draft
        @allow(to: [READ], where: {or: [{open: {eq: true}}, {reviewers: {some: {isViewer: true}}}]})
        @allow(where: {and: [{author: {isViewer: true}}, {not: {locked: {eq: true}}}]})
        @allow(who: "signedIn", to: [READ], where: {author: {isViewer: false}, locked: {eq: true}}) {
        id: ID! title: String! open: Boolean! locked: Boolean author: User
        reviewers: [User!]! @relation(inverse: "reviews")
      }`,
    rows: [
      ...people,
      ['Draft', { id: 'd1', title: 'open', open: true, locked: null, author: 'ann', reviewers: [] }],
      ['Draft', { id: 'd2', title: 'shut', open: false, locked: false, author: 'ann', reviewers: ['cat'] }],
      ['Draft', { id: 'd3', title: 'fast', open: false, locked: true, author: 'ann', reviewers: ['eve'] }],
      ['Draft', { id: 'd4', title: 'none', open: false, locked: true, author: null, reviewers: [] }],
    ],
  },
  {
    name: 'rules on fields',
    sdl: `${user} {
        id: ID! name: String! @unique roles: [String!]
        phone: String @allow(who: "self", to: [READ, UPDATE, CREATE]) @allow(role: "admin")
        rank: Int @allow(role: "editor", to: [UPDATE, CREATE]) cards: [Card!]! @relation(inverse: "holder")
      }
      type Card @allow(to: [READ]) @allow(who: "holder") @allow(role: "editor", to: [CREATE, UPDATE]) {
        id: ID! title: String!
        code: String @allow(who: "holder", to: [READ]) @allow(role: "admin", to: [READ])
        seal: String @allow(role: "admin", to: [READ, UPDATE])
        limit: Int @allow(role: "editor", to: [UPDATE])
        kind: String @allow(role: "editor", to: [CREATE])
        secret: Int @allow(to: [READ], where: {title: {eq: "plain"}})
        holder: User!
        backup: User @allow(who: "holder", to: [READ])
      }`,
    rows: [
      ...people.map(([type, row], at) => [type, { ...row, phone: `55${at}`, rank: at }] as const),
      [
        'Card',
        {
          id: 'k1',
          title: 'plain',
          code: 'x1',
          seal: 's1',
          limit: 5,
          kind: 'a',
          secret: 7,
          holder: 'ann',
          backup: 'bob',
        },
      ],
      [
        'Card',
        {
          id: 'k2',
          title: 'gold',
          code: 'x2',
          seal: null,
          limit: null,
          kind: null,
          secret: 3,
          holder: 'bob',
          backup: 'cat',
        },
      ],
      [
        'Card',
        {
          id: 'k3',
          title: 'plain',
          code: 'x0',
          seal: 's0',
          limit: 1,
          kind: 'b',
          secret: null,
          holder: 'cat',
          backup: null,
        },
      ],
    ].map((row) => row as Rows[number]),
  },
  {
    name: 'rules for some fields',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] }
      type Repair
        @allow(who: "customer", to: [READ])
        @allow(who: "customer", to: [UPDATE], fields: ["note", "helpers", "lines"])
        @allow(who: "signedIn", to: [READ], where: {open: {eq: true}}, fields: ["title", "open"])
        @allow(role: "editor", to: [READ, UPDATE], fields: ["title", "price", "helpers"])
        @allow(who: "signedIn", to: [CREATE], fields: ["title", "note"])
        @allow(role: "admin") {
        id: ID! title: String! note: String price: Int @allow(role: "editor", to: [READ, UPDATE]) @allow(role: "admin")
        open: Boolean! @default(value: true) customer: User! @default(value: VIEWER) helpers: [User!]! lines: [Line!]!
      }
      type Line @allow(who: "repair") { id: ID! text: String! repair: Repair! @relation(onDelete: CASCADE) }
      type Mark @allow(who: "line.repair") { id: ID! text: String! line: Line! @relation(onDelete: CASCADE) }`,
    rows: [
      ...people,
      ['Repair', { id: 'rp1', title: 'lamp', note: 'n', price: 3, open: true, customer: 'ann', helpers: ['cat'] }],
      ['Repair', { id: 'rp2', title: 'bike', note: null, price: null, open: false, customer: 'bob', helpers: [] }],
      ['Repair', { id: 'rp3', title: 'boat', note: 'm', price: 9, open: true, customer: 'eve', helpers: ['ann'] }],
      ['Line', { id: 'ln1', text: 'wire', repair: 'rp1' }],
      ['Line', { id: 'ln2', text: 'tyre', repair: 'rp2' }],
      ['Line', { id: 'ln3', text: 'sail', repair: 'rp3' }],
      ['Mark', { id: 'mk1', text: 'red', line: 'ln1' }],
      ['Mark', { id: 'mk2', text: 'blue', line: 'ln2' }],
    ],
  },
  {
    name: 'paths that end at an interface',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] }
      interface Place { id: ID! title: String! }
      type House implements Place @allow(who: "owner") @allow(to: [READ], where: {open: {eq: true}}) {
        id: ID! title: String! owner: User! open: Boolean!
      }
      type Boat implements Place @allow(who: "signedIn", to: [READ]) @allow(role: "editor") { id: ID! title: String! }
      type Task @allow(who: "on") @allow(role: "admin", to: [READ]) { id: ID! text: String! on: Place! }
      type Step @allow(who: "task.on", to: [READ, DELETE]) { id: ID! text: String! task: Task! @relation(onDelete: CASCADE) }`,
    rows: [
      ...people,
      ['House', { id: 'ho1', title: 'red', owner: 'ann', open: true }],
      ['House', { id: 'ho2', title: 'blue', owner: 'bob', open: false }],
      ['Boat', { id: 'bt1', title: 'old' }],
      ['Task', { id: 'tk1', text: 'paint', on: 'ho1' }],
      ['Task', { id: 'tk2', text: 'scrub', on: 'ho2' }],
      ['Task', { id: 'tk3', text: 'float', on: 'bt1' }],
      ['Step', { id: 'sp1', text: 'one', task: 'tk1' }],
      ['Step', { id: 'sp2', text: 'two', task: 'tk2' }],
      ['Step', { id: 'sp3', text: 'three', task: 'tk3' }],
    ],
  },
  {
    name: 'a closed type',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] ledgers: [Ledger!]! }
      type Ledger { id: ID! sum: Int! owner: User! shops: [Shop!]! }
      type Shop @allow { id: ID! title: String! ledger: Ledger! }`,
    rows: [
      ...people,
      ['Ledger', { id: 'b1', sum: 10, owner: 'ann' }],
      ['Ledger', { id: 'b2', sum: 20, owner: 'bob' }],
      ['Shop', { id: 'h1', title: 'north', ledger: 'b1' }],
      ['Shop', { id: 'h2', title: 'south', ledger: 'b2' }],
    ],
  },
  {
    name: 'references to any of several types',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] photos: [Photo!]! videos: [Video!]! }
      interface Titled { id: ID! title: String! }
      type Photo implements Titled @allow(who: "owner") { id: ID! title: String! owner: User! }
      type Video implements Titled @allow(to: [READ]) @allow(who: "owner") {
        id: ID! title: String! owner: User! seconds: Int @allow(who: "owner") cut: String @allow(role: "editor")
      }
      union Liked = Photo | Video
      type Like @allow(who: "by") @allow(to: [READ]) { id: ID! by: User! of: Liked! also: Titled }`,
    rows: [
      ...people,
      ['Photo', { id: 'o1', title: 'sea', owner: 'ann' }],
      ['Photo', { id: 'o2', title: 'sky', owner: 'bob' }],
      ['Video', { id: 'v1', title: 'sun', owner: 'ann', seconds: 9, cut: 'rough' }],
      ['Video', { id: 'v2', title: 'rain', owner: 'bob', seconds: null, cut: null }],
      ['Like', { id: 'e1', by: 'ann', of: 'o1', also: 'v1' }],
      ['Like', { id: 'e2', by: 'bob', of: 'v1', also: 'o2' }],
      ['Like', { id: 'e3', by: 'cat', of: 'o2', also: null }],
      ['Like', { id: 'e4', by: 'eve', of: 'v2', also: 'v2' }],
    ],
  },
  {
    name: 'rules by the type of a referenced row',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] }
      type Song @allow(to: [READ]) @allow(role: "admin") { id: ID! title: String! seconds: Int! }
      type Book @allow(who: "owner") @allow(to: [READ], where: {open: {eq: true}}) { id: ID! title: String! open: Boolean! owner: User! }
      union Thing = Song | Book
      type Review
        @allow(to: [READ], where: {of: {Song: {seconds: {lt: 100}}}})
        @allow(who: "signedIn", to: [READ, CREATE], where: {of: {not: {Book: {open: {eq: false}}}, _type: {ne: Song}}})
        @allow(who: "by", where: {or: [{of: {Book: {owner: {isViewer: true}}}}, {more: {none: {Song: {}}}}]}) {
        id: ID! text: String! by: User! @default(value: VIEWER) of: Thing more: [Thing!]!
      }`,
    rows: [
      ...people,
      ['Song', { id: 'sg1', title: 'short', seconds: 30 }],
      ['Song', { id: 'sg2', title: 'long', seconds: 300 }],
      ['Book', { id: 'bk1', title: 'red', open: true, owner: 'ann' }],
      ['Book', { id: 'bk2', title: 'blue', open: false, owner: 'bob' }],
      ['Review', { id: 'rv1', text: 'one', by: 'ann', of: 'sg1', more: ['sg2'] }],
      ['Review', { id: 'rv2', text: 'two', by: 'ann', of: 'sg2', more: ['bk1'] }],
      ['Review', { id: 'rv3', text: 'three', by: 'bob', of: 'bk1', more: ['sg1', 'bk2'] }],
      ['Review', { id: 'rv4', text: 'four', by: 'bob', of: 'bk2', more: ['sg1'] }],
      ['Review', { id: 'rv5', text: 'five', by: 'cat', of: null, more: [] }],
    ],
  },
  {
    name: 'set by the server to the viewer',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] sent: [Message!]! @relation(inverse: "from") got: [Message!]! @relation(inverse: "to") }
      type Message @allow(who: "from") @allow(who: "to", to: [READ]) @allow(role: "admin") {
        id: ID! text: String! from: User! @auto(set: VIEWER) to: User! @immutable
      }`,
    rows: [
      ...people,
      ['Message', { id: 'q1', text: 'hello', from: 'ann', to: 'bob' }],
      ['Message', { id: 'q2', text: 'there', from: 'bob', to: 'cat' }],
      ['Message', { id: 'q3', text: 'alone', from: 'cat', to: 'cat' }],
    ],
  },
  {
    name: 'one to one',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] profile: Profile @relation(inverse: "user") badges: [Badge!]! }
      type Profile @allow(who: "user") @allow(to: [READ], where: {shown: {eq: true}}) {
        id: ID! bio: String shown: Boolean! user: User! @unique
      }
      type Badge @allow(who: "user.profile", to: [READ]) @allow(who: "user", to: [READ, DELETE]) @allow(role: "editor") {
        id: ID! word: String! user: User!
      }`,
    rows: [
      ...people,
      ['Profile', { id: 'r1', bio: 'short', shown: false, user: 'ann' }],
      ['Profile', { id: 'r2', bio: null, shown: true, user: 'bob' }],
      ['Badge', { id: 'z1', word: 'gold', user: 'ann' }],
      ['Badge', { id: 'z2', word: 'iron', user: 'bob' }],
      ['Badge', { id: 'z3', word: 'lead', user: 'cat' }],
    ],
  },
  {
    name: 'a chain of resources',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] orgs: [Org!]! }
      type Org @allow(who: "members", to: [READ]) @allow(who: "members", role: "editor", to: [UPDATE]) {
        id: ID! title: String! members: [User!]! spaces: [Space!]!
      }
      type Space @allow(who: "org") @allow(to: [READ], where: {open: {eq: true}}) {
        id: ID! title: String! open: Boolean! org: Org! pages: [Page!]!
      }
      type Page @allow(who: "space") { id: ID! title: String! space: Space! }`,
    rows: [
      ...people,
      ['Org', { id: 'x1', title: 'east', members: ['ann', 'eve'] }],
      ['Org', { id: 'x2', title: 'west', members: ['bob'] }],
      ['Space', { id: 'y1', title: 'hall', open: true, org: 'x1' }],
      ['Space', { id: 'y2', title: 'cave', open: false, org: 'x1' }],
      ['Space', { id: 'y3', title: 'roof', open: false, org: 'x2' }],
      ['Page', { id: 'u1', title: 'in', space: 'y1' }],
      ['Page', { id: 'u2', title: 'on', space: 'y2' }],
      ['Page', { id: 'u3', title: 'at', space: 'y3' }],
    ],
  },
  {
    name: 'nobody signs in',
    sdl: `type Area @allow { id: ID! title: String! gates: [Gate!]! }
      type Gate @allow(to: [READ], where: {open: {eq: true}}) @allow(role: "editor") {
        id: ID! title: String! open: Boolean! area: Area key: String @allow(role: "editor", to: [READ])
      }`,
    rows: [
      ['Area', { id: 'ar1', title: 'in' }],
      ['Area', { id: 'ar2', title: 'out' }],
      ['Gate', { id: 'ga1', title: 'front', open: true, area: 'ar1', key: 'k' }],
      ['Gate', { id: 'ga2', title: 'back', open: false, area: 'ar1', key: null }],
    ],
  },
  {
    name: 'rules on references and lists',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] hosted: [Room!]! @relation(inverse: "host") visits: [Room!]! @relation(inverse: "guests") }
      type Room @allow(to: [READ]) @allow(who: "host") {
        id: ID! title: String!
        host: User!
        payer: User @allow(who: "host", to: [READ, UPDATE])
        guests: [User!]! @relation(inverse: "visits") @allow(who: "host", to: [READ])
        bills: [Bill!]! @allow(who: "host", to: [READ]) @allow(role: "editor", to: [READ])
      }
      type Bill @allow(who: "room.host") @allow(role: "editor", to: [READ]) { id: ID! sum: Int! room: Room! }`,
    rows: [
      ...people,
      ['Room', { id: 'ro1', title: 'attic', host: 'ann', payer: 'bob', guests: ['cat'] }],
      ['Room', { id: 'ro2', title: 'porch', host: 'bob', payer: null, guests: ['ann', 'eve'] }],
      ['Bill', { id: 'bi1', sum: 4, room: 'ro1' }],
      ['Bill', { id: 'bi2', sum: 6, room: 'ro2' }],
    ],
  },
  {
    name: 'accounts that hide',
    sdl: `type Member @account(login: "name") @allow(who: "self") @allow(who: "friends", to: [READ]) @allow(to: [CREATE]) {
        id: ID! name: String! @unique role: String friends: [Member!]! letters: [Letter!]!
      }
      type Letter @allow(to: [READ]) @allow(who: "by") { id: ID! text: String! by: Member! @default(value: VIEWER) }`,
    rows: [
      ['Member', { id: 'ann', name: 'ann', role: null, friends: [] }],
      ['Member', { id: 'bob', name: 'bob', role: 'editor', friends: ['ann'] }],
      ['Member', { id: 'cat', name: 'cat', role: null, friends: ['ann', 'bob'] }],
      ['Letter', { id: 'le1', text: 'dear', by: 'ann' }],
      ['Letter', { id: 'le2', text: 'near', by: 'bob' }],
      ['Letter', { id: 'le3', text: 'fear', by: 'cat' }],
    ],
  },
  {
    name: 'what stands against a write',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] seals: [Seal!]! }
      type Drop @allow(to: [CREATE, UPDATE, DELETE]) @allow(who: "signedIn", to: [READ]) {
        id: ID! title: String!
        code: String @unique @allow(role: "editor", to: [READ])
        seals: [Seal!]! @allow(role: "editor", to: [READ])
      }
      type Seal @allow(who: "by") @allow(role: "editor", to: [READ]) {
        id: ID! title: String! drop: Drop! by: User! @default(value: VIEWER)
      }
      type Board @allow(to: [READ, UPDATE], where: {open: {eq: true}}) @allow(who: "signedIn") {
        id: ID! title: String! open: Boolean!
      }`,
    rows: [
      ...people,
      ['Drop', { id: 'dr1', title: 'rain', code: 'c1' }],
      ['Drop', { id: 'dr2', title: 'snow', code: null }],
      ['Drop', { id: 'dr3', title: 'hail', code: 'c3' }],
      ['Seal', { id: 'se1', title: 'wax', drop: 'dr1', by: 'ann' }],
      ['Seal', { id: 'se2', title: 'tin', drop: 'dr3', by: 'eve' }],
      ['Board', { id: 'bo1', title: 'out', open: true }],
      ['Board', { id: 'bo2', title: 'in', open: false }],
    ],
  },
  {
    name: 'states',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] orders: [Order!]! @relation(inverse: "customer") }
      type Order
        @allow(who: "customer", to: [READ, CREATE, DELETE])
        @allow(who: "customer", to: [UPDATE], where: {status: {eq: CART}})
        @allow(role: "editor", to: [READ]) @allow(role: "admin", to: [READ, UPDATE]) @allow(who: "guests", to: [READ, UPDATE]) {
        id: ID! title: String! size: Int customer: User! @default(value: VIEWER)
        status: Status!
        mood: Mood @allow(role: "admin", to: [UPDATE]) @allow(who: "customer", to: [READ]) @allow(role: "admin", to: [READ])
        guests: [User!]!
      }
      enum Status {
        CART @next(to: [PLACED], who: "customer", where: {size: {gt: 1}, title: {ne: "along"}})
          @next(to: [GONE], who: "customer", role: "editor")
        PLACED @next(to: [PAID], role: "editor") @next(to: [CART]) @next(to: [GONE], who: "guests")
        PAID
        GONE @next(to: [CART], who: "signedIn", where: {size: {isNull: true}})
      }
      enum Mood { GOOD @next(to: [BAD]) BAD @next(to: [GOOD], who: "customer") }`,
    rows: [
      ...people,
      ['Order', order('o1', 'CART', 2, 'ann', 'GOOD', [])],
      ['Order', order('o2', 'CART', null, 'eve', 'BAD', ['cat'])],
      ['Order', order('o3', 'PLACED', 1, 'ann', 'BAD', ['cat', 'eve'])],
      ['Order', order('o4', 'PAID', 1, 'bob', 'GOOD', ['ann'])],
      ['Order', order('o5', 'GONE', null, 'bob', null, ['ann'])],
    ],
  },
  {
    name: 'holders of several types',
    sdl: `union Party = Human | Company
      type Human @account(login: "name") @allow { id: ID! name: String! @unique roles: [String!] }
      type Company @allow(who: "boss") { id: ID! title: String! boss: Human! }
      type Asset @allow(who: "holder") @allow(who: "signedIn", to: [READ], where: {worth: {lt: 5}}) {
        id: ID! worth: Int! holder: Party!
      }`,
    rows: [
      ['Human', { id: 'ann', name: 'ann', roles: [] }],
      ['Human', { id: 'bob', name: 'bob', roles: ['editor'] }],
      ['Company', { id: 'co1', title: 'ann & co', boss: 'ann' }],
      ['Asset', { id: 'as1', worth: 9, holder: 'ann' }],
      ['Asset', { id: 'as2', worth: 8, holder: 'co1' }],
      ['Asset', { id: 'as3', worth: 1, holder: 'bob' }],
    ],
  },
  {
    name: 'rows of lists',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] }
      type Shelf @allow(to: [READ]) @allow(who: "owner") {
        id: ID! title: String! owner: User! books: [Book!]! secrets: [Secret!]! @allow(role: "editor", to: [READ])
      }
      type Book @allow(to: [READ]) @allow(who: "writer") { id: ID! title: String! writer: User! shelf: Shelf }
      type Secret @allow { id: ID! title: String! shelf: Shelf }`,
    rows: [
      ...people,
      ['Shelf', { id: 's1', title: 'one', owner: 'ann' }],
      ['Shelf', { id: 's2', title: 'two', owner: 'eve' }],
      ['Book', { id: 'b1', title: 'of another', writer: 'bob', shelf: 's1' }],
      ['Book', { id: 'b2', title: 'apart', writer: 'ann', shelf: null }],
      ['Secret', { id: 'x1', title: 'hidden', shelf: 's1' }],
    ],
  },
  {
    name: 'what a neighbour decides',
    sdl: `${user} { id: ID! name: String! @unique roles: [String!] }
      type Folder @allow(who: "signedIn") { id: ID! title: String! secret: Boolean! sheets: [Sheet!]! }
      type Sheet @allow(who: "signedIn", where: {not: {folder: {title: {eq: "shut"}}}}) @allow(who: "owner") {
        id: ID! title: String! @allow(who: "owner", to: [READ]) @allow(to: [READ], where: {not: {folder: {secret: {eq: true}}}})
        state: String owner: User! folder: Folder @relation(onDelete: CASCADE)
        folderState: String @allow(to: [READ], where: {folder: {secret: {eq: false}}}) marks: [Mark!]!
        code: String @unique @allow(who: "owner", to: [READ])
      }
      type Mark @allow(who: "signedIn", where: {not: {sheet: {folder: {secret: {eq: true}}}}}) @allow(role: "editor") {
        id: ID! title: String! label: String @unique sheet: Sheet! @relation(onDelete: CASCADE)
      }`,
    rows: [
      ...people,
      ['Folder', { id: 'fo1', title: 'open', secret: false }],
      ['Folder', { id: 'fo2', title: 'hidden', secret: true }],
      ['Folder', { id: 'fo3', title: 'shut', secret: true }],
      ['Sheet', { id: 'sh1', title: 'one', state: 'a', owner: 'ann', folder: 'fo1', folderState: 'x', code: 'c1' }],
      ['Sheet', { id: 'sh2', title: 'two', state: 'a', owner: 'bob', folder: 'fo2', folderState: 'y', code: 'c2' }],
      ['Sheet', { id: 'sh3', title: 'six', state: null, owner: 'ann', folder: 'fo3', folderState: 'z', code: null }],
      ['Sheet', { id: 'sh4', title: 'ten', state: null, owner: 'cat', folder: null, folderState: null, code: 'c4' }],
      ['Mark', { id: 'mr1', title: 'red', label: 'l1', sheet: 'sh1' }],
      ['Mark', { id: 'mr2', title: 'blue', label: 'l2', sheet: 'sh2' }],
      ['Mark', { id: 'mr3', title: 'grey', label: null, sheet: 'sh4' }],
    ],
  },
]
