import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anonymous, type Viewer } from '#base/http'
import { loadModel, type Resource } from '#model'
import { Authority, check, defaultLimits, forbiddenMarker, type SubscriptionPlan } from '#plan'
import { defaultSelection, PlanBuilder, planWhere } from '#plan/build'
import { type Json, onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'
import type { ChangeRecord } from './change-log.ts'
import type { LogPoint } from './epochs.ts'

const sdl = `
  type User @account @allow(who: "signedIn", to: [READ]) @allow(role: "admin") { id: ID! email: String! @unique name: String }
  type Room @allow(who: "signedIn", to: [READ]) @allow(role: "admin") { id: ID! name: String! members: [User!]! notes: [Note!]! }
  type Note @allow(who: "author") @allow(who: "room.members", to: [READ], where: {hidden: {eq: false}}) @allow(role: "admin") {
    id: ID!
    body: String!
    hidden: Boolean! @default(value: false)
    price: Decimal
    size: Float
    extra: JSON
    place: Place
    secret: String @allow(who: "author")
    author: User!
    room: Room!
  }
  type Place { x: Int y: Int }
`

const people = ['ann', 'bob', 'cid']

onEachStore('projecting changes', (on) => {
  let store: TestStore
  before(async () => {
    store = (await openTestStore(sdl, { on })).as(null)
    for (const id of people) await store.replace('User', id, { email: `${id}@example.org`, name: id })
    await store.replace('Room', 'r1', { name: 'one', members: ['ann', 'bob'] })
    await store.replace('Room', 'r2', { name: 'two', members: [] })
  })
  after(() => store.close())

  async function changesOf(write: () => Promise<unknown>): Promise<ChangeRecord[]> {
    const end = await settled(store)
    await write()
    await settled(store)
    return store.store.changes.read(end, 100)
  }

  /** The event of each viewer, as `kind text`. */
  async function eventsOf(changes: ChangeRecord[], viewers: readonly string[] = people, where: Json | null = null) {
    const viewer: Viewer = { ...anonymous, account: viewers[0]!, authenticated: true, token: 't' }
    const { plan, values } = watching(viewer, where)
    const answer = await store.store.projector.project(plan, values, changes, viewers)
    return answer.map((each) => each.map((one) => (one === null ? null : `${one.kind} ${one.text}`)))
  }

  function watching(viewer: Viewer, where: Json | null, fields = ['id', 'body', 'secret']) {
    const model = store.model
    const authority = new Authority(model)
    const of = model.types.get('Note') as Resource
    const builder = new PlanBuilder(authority.visibility(viewer))
    const filter = where === null ? null : planWhere(where, of, builder, 'where')
    builder.finish(defaultLimits)
    const selection = defaultSelection(of, builder.visibility).filter(({ key }) => fields.includes(key))
    const plan: SubscriptionPlan = { kind: 'subscription', of, where: filter, selections: selection }
    const values = check({ plan, values: builder.values(), places: builder.places }, defaultLimits)
    return { plan: authority.authorize(plan, viewer), values }
  }

  test('gives a field that an entry lacks its default, and leaves a required field without one out', async () => {
    const created = await changesOf(() => store.replace('Note', 'old', { body: 'x', author: 'ann', room: 'r1' }))
    const old = created.map((change) => ({ ...change, after: '{"author":"ann"}' }))
    const viewer: Viewer = { ...anonymous, account: 'ann', authenticated: true, token: 't' }
    const { plan, values } = watching(viewer, null, ['id', 'body', 'hidden', 'price', 'room'])
    const events = await store.store.projector.project(plan, values, old, ['ann'])
    const absent = forbiddenMarker.text
    assert.deepEqual(JSON.parse(events[0]![0]!.text!), {
      id: 'old',
      body: absent,
      hidden: false,
      price: null,
      room: absent,
    })
    // A filter compares with the default.
    assert.notEqual((await eventsOf(old, ['ann'], { hidden: { eq: false } }))[0]![0], null)
  })

  test('checks the rules for all viewers together; the text marks refused fields', async () => {
    const changes = await changesOf(() =>
      store.replace('Note', 'n1', { body: 'hello', secret: 's', author: 'ann', room: 'r1' }),
    )
    const [[ann, bob, cid]] = (await eventsOf(changes)) as [[string, string, null]]
    assert.equal(ann, 'created {"id":"n1","body":"hello","secret":"s"}')
    assert.match(bob, /^created \{"id":"n1","body":"hello","secret":"forbidden:/)
    assert.equal(cid, null)
  })

  test('the text shows the row after the change, whatever it is now', async () => {
    const changes = await changesOf(async () => {
      await store.update('Note', 'n1', { body: 'second' })
      await store.update('Note', 'n1', { body: 'third' })
    })
    assert.deepEqual((await eventsOf(changes, ['ann'])).flat(), [
      'updated {"id":"n1","body":"second","secret":"s"}',
      'updated {"id":"n1","body":"third","secret":"s"}',
    ])
  })

  test('a change of fields that a reader may not see sends no event', async () => {
    const changes = await changesOf(() => store.update('Note', 'n1', { secret: 'other' }))
    const [[ann, bob]] = (await eventsOf(changes)) as [[string, null]]
    assert.equal(ann, 'updated {"id":"n1","body":"third","secret":"other"}')
    assert.equal(bob, null)
  })

  test('a row that becomes hidden is deleted, and one that becomes visible is updated', async () => {
    const away = await changesOf(() => store.update('Note', 'n1', { hidden: true }))
    assert.match(String((await eventsOf(away))[0]![0]), /^updated/)
    assert.equal((await eventsOf(away))[0]![1], 'deleted null')
    const back = await changesOf(() => store.update('Note', 'n1', { hidden: false }))
    assert.match(String((await eventsOf(back))[0]![1]), /^updated \{"id":"n1"/)
    // The row may be read again by now, but the older change is still a delete.
    assert.equal((await eventsOf(away))[0]![1], 'deleted null')
  })

  test('an older change of a row that is hidden now is a delete', async () => {
    const changes = await changesOf(() => store.update('Note', 'n1', { body: 'shown' }))
    assert.match(String((await eventsOf(changes))[0]![1]), /^updated/)
    await store.update('Note', 'n1', { hidden: true })
    assert.equal((await eventsOf(changes))[0]![1], 'deleted null')
    assert.match(String((await eventsOf(changes))[0]![0]), /^updated/)
    await store.update('Note', 'n1', { hidden: false })
  })

  test('a filter acts like a rule: entering is an update, leaving is a delete', async () => {
    const where = { body: { eq: 'in' } }
    const entering = await changesOf(() => store.update('Note', 'n1', { body: 'in' }))
    assert.match(String((await eventsOf(entering, ['ann'], where))[0]![0]), /^updated/)
    const leaving = await changesOf(() => store.update('Note', 'n1', { body: 'out' }))
    assert.deepEqual(await eventsOf(leaving, ['ann'], where), [['deleted null']])
    const outside = await changesOf(() => store.update('Note', 'n1', { body: 'still out' }))
    assert.deepEqual(await eventsOf(outside, ['ann'], where), [[null]])
  })

  test('a filter by a guarded field matches only for viewers who may read it', async () => {
    const changes = await changesOf(() => store.update('Note', 'n1', { body: 'x' }))
    const [[ann, bob]] = (await eventsOf(changes, ['ann', 'bob'], { secret: { eq: 'other' } })) as [[string, null]]
    assert.match(ann, /^updated/)
    assert.equal(bob, null)
  })

  test('viewers who could read the row receive its delete', async () => {
    const changes = await changesOf(() => store.delete('Note', 'n1'))
    assert.deepEqual(await eventsOf(changes), [['deleted null', 'deleted null', null]])
  })

  test('every kind of value returns from the log unchanged', async () => {
    const row = {
      body: 'it\'s "quoted" \\ 😀',
      price: '12345678901234567890.10',
      size: 0.1,
      extra: { b: [1, null, 'x'], a: 1e21 },
      place: { x: 1, y: null },
      author: 'ann',
      room: 'r2',
    }
    const changes = await changesOf(() => store.replace('Note', 'n2', row))
    const of = store.model.types.get('Note') as Resource
    const authority = new Authority(store.model)
    const viewer: Viewer = { ...anonymous, account: 'ann', authenticated: true, token: 't' }
    const plan: SubscriptionPlan = {
      kind: 'subscription',
      of,
      where: null,
      selections: defaultSelection(of, authority.visibility(viewer)),
    }
    const [event] = (
      (await store.store.projector.project(authority.authorize(plan, viewer), [], changes, [
        'ann',
      ])) as unknown as Json[][]
    )[0]!
    const { row: read } = await store.update('Note', 'n2', { hidden: true })
    assert.deepEqual(JSON.parse(event!.text as string), { ...read, hidden: false })
  })
})

const privacySdl = `
  type User @account @allow(to: [READ]) @allow(role: "admin") { id: ID! email: String! @unique }
  type Person @allow(to: [READ], where: {listed: {eq: true}}) @allow(role: "admin") {
    id: ID!
    name: String!
    listed: Boolean! @default(value: true)
    showsPhone: Boolean! @default(value: true)
    phone: String @allow(to: [READ], where: {showsPhone: {eq: true}})
    friend: Person @allow(to: [READ], where: {showsPhone: {eq: true}})
    owner: User
    diary: String @allow(who: "owner", to: [READ])
  }
`

onEachStore('what the rules hide now', (on) => {
  let store: TestStore
  before(async () => {
    store = (await openTestStore(privacySdl, { on })).as(null)
    for (const id of ['ann', 'bob']) await store.replace('User', id, { email: `${id}@example.org` })
    await store.replace('Person', 'friend', { name: 'Friend' })
  })
  after(() => store.close())

  const start = { name: 'Ann', phone: '555', friend: 'friend', diary: 'dear', owner: 'ann' }

  /** All events of a row for the viewer: the kind, and phone, friend and diary if shown. */
  async function eventsOf(id: string, account: string | null, filter: Json | null = null): Promise<string[]> {
    await settled(store)
    const authority = new Authority(store.model)
    const viewer: Viewer = { ...anonymous, account, authenticated: account !== null }
    const of = store.model.types.get('Person') as Resource
    const builder = new PlanBuilder(authority.visibility(viewer))
    const where = filter === null ? null : planWhere(filter, of, builder, 'where')
    builder.finish(defaultLimits)
    const shown = ['phone', 'friend', 'diary']
    const selections = defaultSelection(of, builder.visibility).filter(({ key }) => shown.includes(key))
    const plan: SubscriptionPlan = { kind: 'subscription', of, where, selections }
    const values = check({ plan, values: builder.values(), places: builder.places }, defaultLimits)
    const changes = (await store.store.changes.read(store.store.changes.point(0), 1000)).filter(
      (change) => change.id === id,
    )
    const events = await store.store.projector.project(authority.authorize(plan, viewer), values, changes, [account])
    return events.flat().flatMap((event) => {
      if (event === null) return []
      const row = event.text === null ? {} : (JSON.parse(event.text) as Json)
      const seen = Object.entries(row).filter(([, value]) => !String(value).startsWith('forbidden:'))
      return [[event.kind, ...seen.map(([key, value]) => `${key}=${value}`)].join(' ')]
    })
  }

  test('a field of an older change is shown only if the reader may read it now', async () => {
    await store.replace('Person', 'p1', start)
    await store.update('Person', 'p1', { phone: '556' })
    assert.deepEqual(await eventsOf('p1', null), ['created phone=555 friend=friend', 'updated phone=556 friend=friend'])
    await store.update('Person', 'p1', { showsPhone: false })
    // The change of the hidden phone alone gives no event any more.
    assert.deepEqual(await eventsOf('p1', null), ['created', 'updated'])
    await store.update('Person', 'p1', { showsPhone: true })
    assert.deepEqual(await eventsOf('p1', null), [
      'created phone=555 friend=friend',
      'updated phone=556 friend=friend',
      'updated',
      'updated phone=556 friend=friend',
    ])
  })

  test('a filter does not find an older value that the reader may not read now', async () => {
    await store.replace('Person', 'p2', start)
    const filters = [
      { phone: { eq: '555' } },
      { phone: { ne: '1' } },
      { not: { phone: { eq: '1' } } },
      { friend: { name: { eq: 'Friend' } } },
    ]
    for (const filter of filters) assert.equal((await eventsOf('p2', null, filter)).length, 1)
    await store.update('Person', 'p2', { showsPhone: false })
    // The row leaves the filter, whatever its phone was: a wrong guess looks the same.
    const wrong = [{ phone: { eq: '1' } }, { friend: { name: { eq: 'Foe' } } }]
    for (const filter of [...filters, ...wrong]) {
      assert.deepEqual(await eventsOf('p2', null, filter), ['deleted'], JSON.stringify(filter))
    }
    const either = { or: [{ phone: { eq: '555' } }, { name: { eq: 'Ann' } }] }
    assert.deepEqual(await eventsOf('p2', null, either), ['created', 'updated'])
    await store.delete('Person', 'p2')
    for (const filter of [...filters, ...wrong]) assert.deepEqual(await eventsOf('p2', null, filter), ['deleted'])
  })

  test('whoever lost a field with its owner does not see its past', async () => {
    await store.replace('Person', 'p3', start)
    assert.match((await eventsOf('p3', 'ann'))[0]!, /diary=dear/)
    await store.update('Person', 'p3', { owner: 'bob', diary: 'dear, I am Bob' })
    assert.doesNotMatch((await eventsOf('p3', 'ann')).join(), /diary/)
    // And the new owner was not the owner then.
    assert.deepEqual(await eventsOf('p3', 'bob'), [
      'created phone=555 friend=friend',
      'updated phone=555 friend=friend diary=dear, I am Bob',
    ])
  })

  test('a delete shows nothing that its row hid at last', async () => {
    await store.replace('Person', 'p4', start)
    await store.update('Person', 'p4', { showsPhone: false })
    await store.delete('Person', 'p4')
    assert.deepEqual(await eventsOf('p4', null), ['created', 'updated', 'deleted'])
    await store.replace('Person', 'p5', start)
    await store.update('Person', 'p5', { listed: false })
    assert.deepEqual(await eventsOf('p5', null), ['deleted', 'deleted'])
    await store.delete('Person', 'p5')
    assert.deepEqual(await eventsOf('p5', null), ['deleted', 'deleted'])
    await store.replace('Person', 'p6', start)
    await store.delete('Person', 'p6')
    assert.deepEqual(await eventsOf('p6', null), ['created phone=555 friend=friend', 'deleted'])
  })
})

test('a schema without rules has no visibility statement', async () => {
  const open = await openTestStore('type Tag { id: ID! name: String! }')
  try {
    const changes = open.store.changes
    await open.create('Tag', { name: 'sea' })
    const model = loadModel('type Tag { id: ID! name: String! }', 'x')
    const of = open.model.types.get('Tag') as Resource
    const plan: SubscriptionPlan = {
      kind: 'subscription',
      of,
      where: null,
      selections: [{ kind: 'version', key: 'v' }],
    }
    const allowed = new Authority(model).authorize(plan, anonymous)
    assert.deepEqual(
      await open.store.projector.project(allowed, [], await changes.read(changes.point(0), 10), [null, null]),
      [
        [
          { kind: 'created', text: '{"v":1}' },
          { kind: 'created', text: '{"v":1}' },
        ],
      ],
    )
  } finally {
    await open.close()
  }
})

/** PostgreSQL assigns positions a moment after the commit; on SQLite every entry has its own. */
async function settled(store: TestStore): Promise<LogPoint> {
  const waiting = 'SELECT 1 AS n FROM twain_change WHERE seq IS NULL LIMIT 1'
  while ((await store.query(waiting)).length > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  return (await store.store.changes.bounds()).end
}
