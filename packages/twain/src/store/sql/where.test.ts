import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiError } from '#base'
import { planMany } from '../plan.fixture.ts'
import { onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'

const sdl = `
type Team { id: ID! name: String members: [Person!]! @relation(inverse: "team") lead: Lead @relation(inverse: "team") }
type Lead { id: ID! since: Int team: Team! @unique }
type Person {
  id: ID! name: String age: Int score: Float paid: Boolean born: Date seen: DateTime worth: Decimal big: BigInt
  mood: Mood words: [String!] scores: [Float!] moods: [Mood] home: Home colour: Colour colours: [Colour!]
  team: Team friends: [Person!]! @relation(inverse: "friends") about: Thing only: Only
}
type Home { street: String zone: Float rent: Decimal owned: Boolean city: City colour: Colour tags: [String!] }
type City { name: String people: Int }
scalar Colour
enum Mood { GOOD BAD }
union Thing = Team | Person
interface Only { id: ID! }
type Sole implements Only { id: ID! x: Int }
`

onEachStore('a filter', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on })
    await store.replace('Team', 'red', { name: 'Red' })
    await store.replace('Team', 'blue', {})
    await store.replace('Lead', 'l', { since: 3, team: 'red' })
    await store.replace('Sole', 's1', { x: 1 })
    await store.replace('Sole', 's2', { x: 2 })
    await store.replace('Person', 'a', {
      name: 'Ann %_x',
      age: 30,
      score: 0.1 + 0.2,
      paid: true,
      born: '1990-02-03',
      seen: '2026-01-31T09:30:00+02:00',
      worth: '10.50',
      big: '9007199254740993',
      mood: 'GOOD',
      words: ['x', "it's"],
      scores: [2 ** 60, 0.3],
      moods: ['BAD', null],
      home: {
        street: 'Main',
        zone: 2 ** 60,
        rent: '9',
        owned: true,
        city: { name: 'Rome', people: 3 },
        colour: 'red',
        tags: ['u'],
      },
      colour: { r: 1 },
      colours: ['red', 1, { r: 1 }],
      team: 'red',
      about: 'red',
      only: 's1',
    })
    await store.replace('Person', 'b', {
      name: 'bob',
      age: -1,
      score: 1e300,
      paid: false,
      worth: '9.99',
      big: '-10',
      mood: 'BAD',
      words: [],
      home: { rent: '10', owned: false, city: { people: 2 }, colour: true },
      team: 'blue',
      about: 'a',
      friends: ['a'],
      only: 's2',
    })
    await store.replace('Person', 'c', {})
  })
  after(() => store.close())

  const matches = async (where: unknown): Promise<string> =>
    (await store.many('Person', { where, select: ['id'] })).map(({ id }) => id).join('')

  const conditionOf = (where: unknown): string =>
    /WHERE (.*) ORDER BY t1\."id"/.exec(store.sql(planMany(store.model, 'Person', { where, select: ['id'] })))![1]!

  /** The filter, the rows that match it, its SQL, and the SQL of its negation, which all other rows match. */
  const operators: [where: unknown, ids: string, sql: string, negated: string][] = [
    [{ age: { eq: 30 } }, 'a', 't1."age" = ?3', 't1."age" IS DISTINCT FROM ?3'],
    [{ age: { ne: 30 } }, 'bc', 't1."age" IS DISTINCT FROM ?3', 't1."age" = ?3'],
    [
      { age: { in: [30, 31] } },
      'a',
      't1."age" IN (SELECT value FROM json_each(?3))',
      '(t1."age" IN (SELECT value FROM json_each(?3))) IS NOT TRUE',
    ],
    [
      { age: { notIn: [30, 31] } },
      'bc',
      '(t1."age" IN (SELECT value FROM json_each(?3))) IS NOT TRUE',
      't1."age" IN (SELECT value FROM json_each(?3))',
    ],
    [{ age: { lt: 30 } }, 'b', 't1."age" < ?3', '(t1."age" < ?3) IS NOT TRUE'],
    [{ age: { lte: 30 } }, 'ab', 't1."age" <= ?3', '(t1."age" <= ?3) IS NOT TRUE'],
    [{ age: { gt: -1 } }, 'a', 't1."age" > ?3', '(t1."age" > ?3) IS NOT TRUE'],
    [{ age: { gte: -1 } }, 'ab', 't1."age" >= ?3', '(t1."age" >= ?3) IS NOT TRUE'],
    [{ age: { isNull: true } }, 'c', 't1."age" IS NULL', 't1."age" IS NOT NULL'],
    [{ age: { isNull: false } }, 'ab', 't1."age" IS NOT NULL', 't1."age" IS NULL'],
    [{ name: { contains: '%_' } }, 'a', 'instr(t1."name", ?3) > 0', '(instr(t1."name", ?3) > 0) IS NOT TRUE'],
    [
      { name: { startsWith: 'Ann' } },
      'a',
      'substr(t1."name", 1, length(?3)) = ?3',
      '(substr(t1."name", 1, length(?3)) = ?3) IS NOT TRUE',
    ],
    [
      { name: { endsWith: 'ob' } },
      'b',
      'substr(t1."name", -max(length(?3), 1), length(?3)) = ?3',
      '(substr(t1."name", -max(length(?3), 1), length(?3)) = ?3) IS NOT TRUE',
    ],
    [{ name: { ieq: 'BÓB' } }, 'b', 'twain_fold(t1."name") = ?3', '(twain_fold(t1."name") = ?3) IS NOT TRUE'],
    [
      { name: { icontains: 'ÑN %' } },
      'a',
      'instr(twain_fold(t1."name"), ?3) > 0',
      '(instr(twain_fold(t1."name"), ?3) > 0) IS NOT TRUE',
    ],
    [
      { name: { istartsWith: 'áNN' } },
      'a',
      'substr(twain_fold(t1."name"), 1, length(?3)) = ?3',
      '(substr(twain_fold(t1."name"), 1, length(?3)) = ?3) IS NOT TRUE',
    ],
    [
      { name: { iendsWith: 'OB' } },
      'b',
      'substr(twain_fold(t1."name"), -max(length(?3), 1), length(?3)) = ?3',
      '(substr(twain_fold(t1."name"), -max(length(?3), 1), length(?3)) = ?3) IS NOT TRUE',
    ],
    [
      { home: { city: { name: { ieq: 'rôme' } } } },
      'a',
      `twain_fold((t1."home" ->> '$.city.name')) = ?3`,
      `(twain_fold((t1."home" ->> '$.city.name')) = ?3) IS NOT TRUE`,
    ],
    [
      { words: { contains: "it's" } },
      'a',
      'EXISTS (SELECT 1 FROM json_each(t1."words") WHERE value = ?3)',
      'NOT EXISTS (SELECT 1 FROM json_each(t1."words") WHERE value = ?3)',
    ],
    [
      { home: { city: { people: { gt: 2 } } } },
      'a',
      `(t1."home" ->> '$.city.people') > ?3`,
      `((t1."home" ->> '$.city.people') > ?3) IS NOT TRUE`,
    ],
    [
      { home: { rent: { lt: '9.5' } } },
      'a',
      `twain_decimal(t1."home" ->> '$.rent') < ?3`,
      `(twain_decimal(t1."home" ->> '$.rent') < ?3) IS NOT TRUE`,
    ],
    [
      { home: { zone: { in: [2 ** 60] } } },
      'a',
      `CAST((t1."home" ->> '$.zone') AS REAL) IN (SELECT CAST(value AS REAL) FROM json_each(?3))`,
      `(CAST((t1."home" ->> '$.zone') AS REAL) IN (SELECT CAST(value AS REAL) FROM json_each(?3))) IS NOT TRUE`,
    ],
    [
      { home: { colour: { eq: 'red' } } },
      'a',
      `nullif(t1."home" -> '$.colour', 'null') = ?3`,
      `nullif(t1."home" -> '$.colour', 'null') IS DISTINCT FROM ?3`,
    ],
    [
      { colours: { contains: 1 } },
      'a',
      'EXISTS (SELECT 1 FROM json_each(t1."colours") WHERE t1."colours" -> fullkey = ?3)',
      'NOT EXISTS (SELECT 1 FROM json_each(t1."colours") WHERE t1."colours" -> fullkey = ?3)',
    ],
    [{ team: { id: { eq: 'red' } } }, 'a', 't1."team" = ?3', '(t1."team" = ?3) IS NOT TRUE'],
    [
      { team: { not: { id: { eq: 'red' } } } },
      'b',
      '(t1."team" IS NOT NULL AND t1."team" IS DISTINCT FROM ?3)',
      '((t1."team" IS NOT NULL AND t1."team" IS DISTINCT FROM ?3)) IS NOT TRUE',
    ],
    [
      { team: { name: { isNull: true } } },
      'b',
      'EXISTS (SELECT 1 FROM "Team" AS t2 WHERE t2."id" = t1."team" AND t2."name" IS NULL)',
      'NOT EXISTS (SELECT 1 FROM "Team" AS t2 WHERE t2."id" = t1."team" AND t2."name" IS NULL)',
    ],
    [
      { team: { lead: { since: { eq: 3 } } } },
      'a',
      'EXISTS (SELECT 1 FROM "Team" AS t2 WHERE t2."id" = t1."team" AND EXISTS (SELECT 1 FROM "Lead" AS t3 WHERE t3."team" = t2."id" AND t3."since" = ?3))',
      'NOT EXISTS (SELECT 1 FROM "Team" AS t2 WHERE t2."id" = t1."team" AND EXISTS (SELECT 1 FROM "Lead" AS t3 WHERE t3."team" = t2."id" AND t3."since" = ?3))',
    ],
    [{ team: { isNull: true } }, 'c', 't1."team" IS NULL', 't1."team" IS NOT NULL'],
    [
      { friends: { some: { age: { eq: 30 } } } },
      'b',
      'EXISTS (SELECT 1 FROM "Person_friends" AS t3 JOIN "Person" AS t2 ON t2."id" = t3."right_id" WHERE t3."left_id" = t1."id" AND t2."age" = ?3)',
      'NOT EXISTS (SELECT 1 FROM "Person_friends" AS t3 JOIN "Person" AS t2 ON t2."id" = t3."right_id" WHERE t3."left_id" = t1."id" AND t2."age" = ?3)',
    ],
    [
      { friends: { none: {} } },
      'ac',
      'NOT EXISTS (SELECT 1 FROM "Person_friends" AS t3 JOIN "Person" AS t2 ON t2."id" = t3."right_id" WHERE t3."left_id" = t1."id")',
      'EXISTS (SELECT 1 FROM "Person_friends" AS t3 JOIN "Person" AS t2 ON t2."id" = t3."right_id" WHERE t3."left_id" = t1."id")',
    ],
    [
      { about: { id: { eq: 'red' } } },
      'a',
      `((t1."about_type" = 'Team' AND EXISTS (SELECT 1 FROM "Team" AS t2 WHERE t2."id" = t1."about" AND t2."id" = ?3)) OR (t1."about_type" = 'Person' AND EXISTS (SELECT 1 FROM "Person" AS t3 WHERE t3."id" = t1."about" AND t3."id" = ?4)))`,
      `NOT ((t1."about_type" = 'Team' AND EXISTS (SELECT 1 FROM "Team" AS t2 WHERE t2."id" = t1."about" AND t2."id" = ?3)) OR (t1."about_type" = 'Person' AND EXISTS (SELECT 1 FROM "Person" AS t3 WHERE t3."id" = t1."about" AND t3."id" = ?4)))`,
    ],
    [
      { only: { id: { eq: 's1' } } },
      'a',
      `((t1."only_type" = 'Sole' AND EXISTS (SELECT 1 FROM "Sole" AS t2 WHERE t2."id" = t1."only" AND t2."id" = ?3)))`,
      `NOT ((t1."only_type" = 'Sole' AND EXISTS (SELECT 1 FROM "Sole" AS t2 WHERE t2."id" = t1."only" AND t2."id" = ?3)))`,
    ],
    [
      { or: [{ age: { lt: 0 } }, { paid: { eq: true } }] },
      'ab',
      '(t1."age" < ?3 OR t1."paid" = ?4)',
      '((t1."age" < ?3) IS NOT TRUE AND t1."paid" IS DISTINCT FROM ?4)',
    ],
    [{ or: [{ age: { lt: 0 } }, {}] }, 'abc', '(t1."age" < ?3 OR TRUE)', '((t1."age" < ?3) IS NOT TRUE AND FALSE)'],
  ]

  for (const [where, ids, sql, negated] of operators) {
    test(`${JSON.stringify(where)} and its negation together match every row once`, async () => {
      assert.equal(conditionOf(where), sql)
      assert.equal(conditionOf({ not: where }), negated)
      assert.equal(await matches(where), ids)
      assert.equal(await matches({ not: where }), [...'abc'].filter((id) => !ids.includes(id)).join(''))
      assert.equal(await matches({ not: { not: where } }), ids)
    })
  }

  test('compares each type as that type', async () => {
    assert.equal(await matches({ score: { eq: 0.1 + 0.2 } }), 'a')
    assert.equal(await matches({ score: { in: [0.3, 1e300] } }), 'b')
    assert.equal(await matches({ paid: { ne: true } }), 'bc')
    assert.equal(await matches({ born: { lte: '1990-02-03' } }), 'a')
    assert.equal(await matches({ seen: { eq: '2026-01-31T07:30:00Z' } }), 'a')
    assert.equal(await matches({ worth: { gt: '10' } }), 'a')
    assert.equal(await matches({ worth: { in: ['10.5', '9.990'] } }), 'ab')
    assert.equal(await matches({ big: { gt: '9007199254740992' } }), 'a')
    assert.equal(await matches({ big: { lt: '-9' } }), 'b')
    assert.equal(await matches({ mood: { in: ['GOOD'] } }), 'a')
    assert.equal(await matches({ words: { eq: [] } }), 'b')
    assert.equal(await matches({ words: { ne: ['x', "it's"] } }), 'bc')
    assert.equal(await matches({ scores: { contains: 2 ** 60 } }), 'a')
    assert.equal(await matches({ moods: { contains: 'BAD' } }), 'a')
    assert.equal(await matches({ colour: { eq: { r: 1 } } }), 'a')
    assert.equal(await matches({ colours: { contains: { r: 1 } } }), 'a')
    assert.equal(await matches({ colours: { contains: true } }), '')
    assert.equal(await matches({ home: { owned: { eq: false } } }), 'b')
    assert.equal(await matches({ home: { colour: { in: [true, 7] } } }), 'b')
    assert.equal(await matches({ home: { tags: { contains: 'u' } } }), 'a')
    assert.equal(await matches({ home: { street: { isNull: true } } }), 'bc')
    assert.equal(await matches({ home: { colour: { isNull: true } } }), 'c')
    assert.equal(await matches({ home: { isNull: true } }), 'c')
  })

  test('Type:id names one row where rows of several types are possible, and nowhere else', async () => {
    assert.equal(await matches({ about: { id: { eq: 'Team:red' } } }), 'a')
    assert.equal(await matches({ about: { id: { eq: 'Person:red' } } }), '')
    assert.equal(await matches({ about: { id: { in: ['Person:a', 'Team:red'] } } }), 'ab')
    assert.equal(await matches({ about: { id: { ne: 'Team:red' } } }), 'b')
    assert.equal(await matches({ only: { id: { notIn: ['Sole:s1'] } } }), 'b')
    assert.equal(await matches({ team: { id: { eq: 'Team:red' } } }), '')
  })

  test('every text contains, starts and ends with the empty text', async () => {
    for (const op of ['contains', 'startsWith', 'endsWith', 'icontains', 'istartsWith', 'iendsWith'])
      assert.equal(await matches({ name: { [op]: '' } }), 'ab')
  })

  test('a field does not end with a longer text', async () => {
    assert.equal(await matches({ name: { endsWith: 'xbob' } }), '')
    assert.equal(await matches({ name: { startsWith: 'bobx' } }), '')
    assert.equal(await matches({ name: { iendsWith: 'xbob' } }), '')
    assert.equal(await matches({ name: { istartsWith: 'bobx' } }), '')
  })

  test('an empty list of values matches nothing, and its negation all', async () => {
    assert.equal(await matches({ age: { in: [] } }), '')
    assert.equal(await matches({ age: { notIn: [] } }), 'abc')
  })

  test('the other side of a one-to-one is null if nothing refers back', async () => {
    assert.deepEqual(await store.many('Team', { where: { lead: { isNull: true } }, select: ['id'] }), [{ id: 'blue' }])
    assert.deepEqual(await store.many('Team', { where: { members: { some: { age: { lt: 0 } } } }, select: ['id'] }), [
      { id: 'blue' },
    ])
  })

  test('of the largest size and depth of a plan is one statement that SQLite accepts', async () => {
    const wide = (size: number) => Array.from({ length: size }, () => ({ name: { isNull: true } }))
    const deep = (levels: number): object =>
      levels === 0 ? { or: wide(150) } : { friends: { some: deep(levels - 1) }, age: { gt: levels } }
    assert.equal(await matches({ or: wide(199) }), 'c')
    let levels = 1
    let refused: ApiError | null = null
    for (; refused === null; levels++)
      refused = await matches(deep(levels)).then(
        () => null,
        (error) => error,
      )
    assert.equal(refused.code, 'VALIDATION_FAILED')
    assert.ok(levels > 5)
  })
})
