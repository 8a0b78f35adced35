import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('a delete', (on) => {
  let store: TestStore
  let from = 0
  before(async () => {
    store = await openTestStore(
      `
      type A { id: ID! }
      type Must { id: ID! a: A! }
      type May { id: ID! name: String a: A other: A seen: DateTime @auto(set: UPDATE_TIME) }
      type With { id: ID! a: A @relation(onDelete: CASCADE) parent: With @relation(onDelete: CASCADE) }
      type Both { id: ID! left: With @relation(onDelete: CASCADE) right: With @relation(onDelete: RESTRICT) }
      type Any { id: ID! to: Thing @relation(onDelete: CASCADE) }
      union Thing = A | May
    `,
      { on },
    )
  })
  beforeEach(async () => {
    from = (await store.changes()).length
  })
  after(() => store.close())

  const log = async () =>
    (await store.changes()).slice(from).map(({ resource, id, kind, version }) => `${kind} ${resource} ${id} ${version}`)

  test('removes the row, and logs its last values', async () => {
    await store.replace('May', 'm', { name: 'x' })
    assert.equal(await store.delete('May', 'm'), true)
    assert.equal(await store.one('May', 'm'), null)
    const { kind, version, after: image, before: previous } = (await store.changes()).at(-1)!
    assert.deepEqual([kind, version, image, (previous as { name: string }).name], ['deleted', 2, null, 'x'])
  })

  test('of a missing row changes nothing', async () => {
    assert.equal(await store.delete('A', 'nothing'), false)
    assert.deepEqual(await log(), [])
  })

  test('is refused while required references to the row exist, and names their fields', async () => {
    await store.replace('A', 'used', {})
    await store.replace('Must', 'm1', { a: 'used' })
    await store.replace('Must', 'm2', { a: 'used' })
    await store.replace('May', 'may', { a: 'used' })
    from = (await store.changes()).length
    const error = await apiErrorOf(store.delete('A', 'used'))
    assert.equal(error.code, 'CONFLICT')
    assert.deepEqual(error.problems, [
      { path: '', code: 'REFERENCE', message: 'musts refer to it with "a", such as the Must (id "m1").' },
    ])
    assert.equal((await store.one('May', 'may'))!.a, 'used')
    assert.deepEqual(await log(), [])
  })

  test('sets optional references to null, two of one row in one change', async () => {
    await store.replace('A', 'a', {})
    await store.replace('May', 'two', { a: 'a', other: 'a', name: 'n' })
    from = (await store.changes()).length
    await store.delete('A', 'a')
    assert.deepEqual(await log(), ['updated May two 2', 'deleted A a 2'])
    const { a, other, name } = (await store.one('May', 'two'))!
    assert.deepEqual([a, other, name], [null, null, 'n'])
    const { before: previous } = (await store.changes()).at(-2) as { before: object }
    assert.deepEqual({ ...previous, seen: null }, { a: 'a', other: 'a', seen: null })
  })

  test('cascades, also around cycles', async () => {
    await store.replace('A', 'root', {})
    await store.replace('With', 'w1', { a: 'root' })
    await store.replace('With', 'w2', { parent: 'w1' })
    await store.replace('With', 'w3', { parent: 'w2' })
    await store.update('With', 'w1', { parent: 'w3' })
    await store.replace('Any', 'any', { to: 'root' })
    await store.replace('A', 'other', {})
    await store.replace('Any', 'stays', { to: 'other' })
    from = (await store.changes()).length
    await store.delete('A', 'root')
    assert.deepEqual((await log()).toSorted(), [
      'deleted A root 2',
      'deleted Any any 2',
      'deleted With w1 3',
      'deleted With w2 2',
      'deleted With w3 2',
    ])
    assert.notEqual(await store.one('Any', 'stays'), null)
  })

  test('of a row that refers to itself succeeds', async () => {
    await store.replace('With', 'self', {})
    await store.update('With', 'self', { parent: 'self' })
    assert.equal(await store.delete('With', 'self'), true)
  })

  test('is not refused by RESTRICT of a row that CASCADE deletes', async () => {
    await store.replace('With', 'top', {})
    await store.replace('With', 'l', { parent: 'top' })
    await store.replace('With', 'r', { parent: 'top' })
    await store.replace('Both', 'diamond', { left: 'l', right: 'r' })
    assert.equal((await apiErrorOf(store.delete('With', 'r'))).code, 'CONFLICT')
    from = (await store.changes()).length
    await store.delete('With', 'top')
    assert.deepEqual((await log()).toSorted(), [
      'deleted Both diamond 2',
      'deleted With l 2',
      'deleted With r 2',
      'deleted With top 2',
    ])
  })

  test('keeps references to the same id of another type', async () => {
    await store.replace('A', 'same', {})
    await store.replace('May', 'same', {})
    await store.replace('Any', 'to-may', { to: 'May:same' })
    await store.delete('A', 'same')
    assert.equal((await store.one('Any', 'to-may'))!.to, 'May:same')
  })
})

onEachStore('a refused delete names the referring rows only if the viewer may read them', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type User @account @allow(to: [READ]) { id: ID! email: String! @unique }
      type Box @allow { id: ID! lid: Lid }
      type Lid @allow { id: ID! box: Box @relation(onDelete: CASCADE) }
      type Diary @allow(who: "owner") { id: ID! box: Box! owner: User! }
      type Open @allow { id: ID! box: Box @relation(onDelete: RESTRICT) @allow(role: "auditor", to: [READ]) }
      type Seal @allow(role: "auditor") { id: ID! lid: Lid @relation(onDelete: RESTRICT) }
    `,
      { on },
    )
    const unchecked = store.as(null)
    for (const id of ['ann', 'bob']) await unchecked.replace('User', id, { email: id })
    for (const id of ['diary', 'field', 'behind']) await unchecked.replace('Box', id, {})
    await unchecked.replace('Diary', 'd', { box: 'diary', owner: 'ann' })
    await unchecked.replace('Open', 'o', { box: 'field' })
    await unchecked.replace('Lid', 'l', { box: 'behind' })
    await unchecked.replace('Seal', 's', { lid: 'l' })
  })
  after(() => store.close())

  const refusal = async (viewer: object, id: string): Promise<string> => {
    const { code, problems } = await apiErrorOf(store.as(viewer).delete('Box', id))
    assert.equal(code, 'CONFLICT')
    return problems.map(({ message }) => message).join(' ')
  }

  test('rows of others, fields with rules of their own, and cascaded rows', async () => {
    const bob = { account: 'bob' }
    const nothing = 'Something that you may not read refers to it.'
    for (const id of ['diary', 'field', 'behind']) assert.equal(await refusal(bob, id), nothing)
    assert.equal(
      await refusal({ account: 'ann' }, 'diary'),
      'diaries refer to it with "box", such as the Diary (id "d").',
    )
    const auditor = { account: 'bob', roles: ['auditor'] }
    assert.equal(await refusal(auditor, 'field'), 'opens refer to it with "box", such as the Open (id "o").')
    assert.equal(await refusal(auditor, 'behind'), 'seals refer to it with "lid", such as the Seal (id "s").')
  })

  test('both kinds together', async () => {
    await store.as(null).replace('Diary', 'd2', { box: 'field', owner: 'bob' })
    assert.equal(
      await refusal({ account: 'bob' }, 'field'),
      'diaries refer to it with "box", such as the Diary (id "d2"). Something that you may not read refers to it.',
    )
  })
})

onEachStore('a delete of many rows', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type Team { id: ID! }
      type Member { id: ID! team: Team @relation(onDelete: CASCADE) backup: Team @relation(onDelete: CASCADE) }
      type Note { id: ID! member: Member @relation(onDelete: CASCADE) about: Team }
      type Lock { id: ID! team: Team! }
    `,
      { on, limits: { cascade: 4 } },
    )
  })
  after(() => store.close())

  const create = async (type: string, ids: readonly string[], row: object) => {
    for (const id of ids) await store.replace(type, id, { ...row })
  }

  test('touches at most limits.cascade rows beside its own: each row counts once', async () => {
    await store.replace('Team', 'a', {})
    await create('Member', ['a1', 'a2'], { team: 'a', backup: 'a' })
    await create('Note', ['an1'], { member: 'a1', about: 'a' })
    await create('Note', ['an2'], { about: 'a' })
    assert.equal(await store.delete('Team', 'a'), true)
    assert.deepEqual(await store.many('Member', {}), [])
    assert.deepEqual(
      (await store.many('Note', {})).map(({ id, about }) => [id, about]),
      [['an2', null]],
    )
  })

  test('is refused beyond it, with their number, and changes nothing', async () => {
    await store.replace('Team', 'b', {})
    await create('Member', ['b1', 'b2', 'b3', 'b4'], { team: 'b' })
    await create('Note', ['bn1'], { member: 'b4' })
    const deep = await apiErrorOf(store.delete('Team', 'b'))
    assert.deepEqual([deep.code, deep.problems[0]!.code], ['CONFLICT', 'CASCADE'])
    assert.match(deep.message, /at least 5 other rows would be deleted or changed with it, and one request may touch 4/)
    await create('Member', ['b5', 'b6', 'b7'], { team: 'b', backup: 'b' })
    assert.match((await apiErrorOf(store.delete('Team', 'b'))).message, /at least 7 other rows/)
    assert.equal((await store.many('Member', {})).length, 7)
    assert.notEqual(await store.one('Team', 'b'), null)
    assert.match(String(deep.hint), /limits\.cascade/)
  })

  test('says first what restricts it', async () => {
    await store.replace('Team', 'c', {})
    await create('Lock', ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'], { team: 'c' })
    const { problems } = await apiErrorOf(store.delete('Team', 'c'))
    assert.deepEqual(problems, [
      { path: '', code: 'REFERENCE', message: 'locks refer to it with "team", such as the Lock (id "c1").' },
    ])
  })
})
