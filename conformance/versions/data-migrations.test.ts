// Data migrations: files beside the schema that change rows once, in order, before the service serves.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openService, planData } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { adminToken } from '../faults/run-webhook-kills.ts'
import { Project } from '../harness/migrating-project.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from '../webhooks/receiver.ts'

const posts = 'type Post { id: ID! title: String! slug: String }'
const slugged = 'type Post { id: ID! title: String! slug: String! }'
const fillSlugs = `export default {
  type: 'Post', where: { slug: { isNull: true } }, portion: 4,
  change: (row) => ({ slug: row.title.toLowerCase() }),
}`

test('a migration visits each row once, in portions, and never runs again', async (t) => {
  const project = await Project.make(t, posts)
  await project.start()
  await project.makePosts(10)
  await project.write('migrations/001-fill-slugs.ts', fillSlugs)
  await project.start()
  const expected = Array.from({ length: 10 }, (_, n) => `title ${n + 1}`)
  assert.deepEqual(await project.values('slug'), expected)
  const ended = project.logged.filter((line) => line.startsWith('data migration finished'))
  assert.equal(ended.length, 1)
  assert.match(ended[0]!, /"migration":"001-fill-slugs","visited":10,"changed":10/)

  const entries = await project.entries(10)
  assert.deepEqual(
    entries.map(({ by, via }) => [by, via]),
    Array(10).fill(['migration:001-fill-slugs', undefined]),
  )

  await project.send('PATCH', '/posts/p001', { slug: null })
  await project.start()
  assert.equal((await project.values('slug'))[0], null)
})

test('a failed migration names the file, the row and the mistake; the next start goes on behind what was done', async (t) => {
  const project = await Project.make(
    t,
    'type Post { id: ID! title: String! slug: String @constraint(maxLength: 8) hits: Int }',
  )
  await project.start()
  await project.makePosts(12)
  const change = (fails: string) => `export default {
    type: 'Post', portion: 4, change: (row) => { ${fails}; return { hits: (row.hits ?? 0) + 1 } },
  }`
  await project.write('migrations/001-hits.ts', change(`if (row.id === 'p006') throw new Error('no such thing')`))
  const message = await project.refusal()
  assert.match(
    message,
    /^migrations\/001-hits\.ts failed at Post p006: Error: no such thing \(migrations\/001-hits\.ts:2:\d+\)/,
  )
  assert.match(
    message,
    /\n4 rows before were visited, and what it changed in them stays; the next start goes on there\.$/,
  )

  await project.write('migrations/001-hits.ts', change(`if (row.id === 'p009') return { slug: 'much too long' }`))
  assert.match(await project.refusal(), /failed at Post p009: the row does not fit the schema:\n {2}- slug: .*8/)

  await project.write('migrations/001-hits.ts', change(''))
  await project.start()
  assert.deepEqual(await project.values('hits'), Array(12).fill(1))
})

test('a field becomes required in the same deploy as the migration that fills it', async (t) => {
  const project = await Project.make(t, posts)
  await project.start()
  await project.makePosts(5)
  await project.write('schema.graphql', slugged)
  const refused = await project.refusal()
  assert.match(
    refused,
    /Post\.slug was optional and is required now\. 5 rows of Post have no slug: p001, p002, p003 and 2 more\. /,
  )
  assert.match(
    refused,
    /To fill it, write migrations\/001-fill-slug\.ts .*type: 'Post', where: { slug: { isNull: true } }/,
  )
  assert.match(refused, /Nothing was changed/)

  await project.write(
    'migrations/001-fill-slugs.ts',
    fillSlugs.replace('slug: row', `slug: row.id === 'p004' ? undefined : row`),
  )
  const still = await project.refusal()
  assert.match(still, /still lack after all data migrations:\n {2}- One row of Post has no slug: p004\. To fill it/)
  assert.match(await project.refusal(), /One row of Post has no slug: p004/)

  await project.write('migrations/002-fill-more.ts', fillSlugs)
  await project.start()
  assert.deepEqual(
    await project.values('slug'),
    [1, 2, 3, 4, 5].map((n) => `title ${n}`),
  )
  await project.start()
})

test('a new required field without a default is filled in the same deploy; the dry run counts its rows', async (t) => {
  const project = await Project.make(t, 'type Post { id: ID! title: String! }')
  await project.start()
  await project.makePosts(7)
  await project.write('schema.graphql', slugged)
  assert.match(
    await project.refusal(),
    /Post\.slug is new and required, .*7 rows of Post have no slug: p001, p002, p003 and 4 more/,
  )
  await project.write('migrations/001-fill-slugs.ts', fillSlugs)
  await project.write(
    'migrations/002-one.ts',
    `export default { run: async ({ read, write }) => {
    for (const { id, slug } of await read.Post.list()) await write.Post.update(id, { title: slug + '!' })
  } }`,
  )
  await project.close()
  const { schema, place } = await project.planned()
  const { left } = await planData(schema, place)
  assert.deepEqual(left, [
    { name: '001-fill-slugs', visited: 0, rows: 7 },
    { name: '002-one', visited: 0, rows: null },
  ])
  await project.start()
  assert.deepEqual(
    await project.values('title'),
    [1, 2, 3, 4, 5, 6, 7].map((n) => `title ${n}!`),
  )
  await project.close()
  assert.deepEqual((await planData(schema, place)).left, [])
})

test('a migration that is one transaction changes everything or nothing', async (t) => {
  const project = await Project.make(t, posts)
  await project.start()
  await project.makePosts(3)
  const run = (last: string) => `export default { run: async ({ write }) => {
    await write.Post.update('p001', { title: 'One' })
    ${last}
  } }`
  await project.write('migrations/001-titles.ts', run(`throw new Error('no')`))
  assert.match(
    await project.refusal(),
    /^migrations\/001-titles\.ts failed: Error: no .*\nIt changed nothing; the next start runs it again\.$/,
  )
  await project.write('migrations/001-titles.ts', run(`await write.Post.update('p002', { title: 'Two' })`))
  await project.start()
  assert.deepEqual(await project.values('title'), ['One', 'Two', 'Title 3'])
})

const handling = `globalThis.handled ??= []
export default {
  before: { Post: ({ id }) => { globalThis.handled.push('before ' + id) } },
  on: { Post: ({ id, by }) => { globalThis.handled.push('on ' + id + ' ' + by) } },
}`

test('hooks run on request; change handlers skip a migration without events, and the change log has it', async (t) => {
  const { handled } = Object.assign(globalThis, { handled: [] as string[] })
  const project = await Project.make(t, posts)
  await project.write('twain.config.ts', handling)
  await project.start()
  await project.makePosts(2)
  await until(
    async () => handled.filter((line) => line.startsWith('on ')).length,
    (count) => count === 2,
  )
  handled.length = 0
  const change = (options: string) => `export default { type: 'Post', ${options} change: (row) => ({ slug: row.id }) }`
  await project.write('migrations/001-silent.ts', change('events: false,'))
  await project.write(
    'migrations/002-hooked.ts',
    change(`hooks: true, where: { id: { eq: 'p002' } },`).replace('row.id }', `'x' }`),
  )
  await project.start()
  await until(
    async () => handled.length,
    (count) => count >= 2,
  )
  assert.deepEqual(handled, ['before p002', 'on p002 migration:002-hooked'])
  const entries = await project.entries(3)
  assert.deepEqual(
    entries.map(({ by, via }) => [by, via]),
    [
      ['migration:001-silent', 'no-events'],
      ['migration:001-silent', 'no-events'],
      ['migration:002-hooked', undefined],
    ],
  )
})

test('webhooks skip a migration without events', async (t) => {
  const project = await Project.make(t, posts)
  await project.start()
  await project.makePosts(2)
  await until(
    () => project.send('GET', '/changes'),
    ({ body }) => (body as { edges: unknown[] }).edges.length === 2, // before the webhook, which sends what follows
  )
  const authorization = `Bearer ${await adminToken(project.flags)}`
  const receiver = await openReceiver(t, async (_got, response) => void response.writeHead(204).end())
  const webhook = { url: receiver.url, events: ['post.*'] }
  assert.equal((await project.send('POST', '/webhooks', webhook, { authorization })).status, 201)
  await project.write(
    'migrations/001-silent.ts',
    `export default { type: 'Post', events: false, change: () => ({ slug: 'a' }) }`,
  )
  await project.write('migrations/002-loud.ts', `export default { type: 'Post', change: () => ({ slug: 'b' }) }`)
  await project.start()
  await receiver.has(2, 20_000)
  const slugs = receiver.got.map(({ event }) => (event.data as { slug: string }).slug)
  assert.deepEqual(slugs, ['b', 'b'])
})

test('twain check, twain migrate and its dry run know data migrations', async (t) => {
  const project = await Project.make(t, posts)
  await project.start()
  await project.makePosts(6)
  await project.close()
  await project.write('migrations/001-fill-slugs.ts', fillSlugs)
  await project.write('migrations/002-one.ts', 'export default { run() {} }')
  const dry = await project.twain('migrate', ...project.flags, '--dry-run')
  assert.deepEqual(dry, {
    code: 0,
    out: '-- migrations/001-fill-slugs.ts: 6 rows of Post\n-- migrations/002-one.ts: one transaction\n',
    err: '',
  })
  const made = await project.twain('migrate', ...project.flags)
  assert.equal(made.code, 0, made.err)
  assert.match(made.err, / now fits .*schema\.graphql: 0 steps and 2 data migrations \(6 rows\) in [\d.]+ s\.\n$/)
  assert.match((await project.twain('migrate', ...project.flags)).err, / already fits /)
  assert.equal((await project.twain('migrate', ...project.flags, '--dry-run')).out, '-- Nothing to do.\n')

  await project.write('migrations/002-two.ts', `export default { type: 'Pots', change() {} }`)
  const checked = await project.twain('check')
  assert.equal(checked.code, 2)
  assert.match(checked.err, /002-two\.ts has the number of 002-one\.ts/)
  assert.match(checked.err, /002-two\.ts: type must name a type of the schema\. Did you mean/)
})

test('a saved migration runs in a reload; changed files and late numbers are warned of', async (t) => {
  const project = await Project.make(t, posts)
  await project.start()
  await project.makePosts(2)
  await project.write('migrations/005-fill-slugs.ts', fillSlugs)
  assert.equal(await project.reload(), 'swapped')
  assert.deepEqual(await project.values('slug'), ['title 1', 'title 2'])
  assert.equal(await project.reload(), 'same')
  await project.write('migrations/005-fill-slugs.ts', `${fillSlugs} // more`)
  await project.write('migrations/004-late.ts', `export default { type: 'Post', change: () => ({ title: 'late' }) }`)
  await project.start()
  assert.deepEqual(await project.values('title'), ['late', 'late'])
  const all = project.logged.join('\n')
  assert.match(
    all,
    /005-fill-slugs\.ts was changed after it ran\. It does not run again; a file with another name would/,
  )
  assert.match(all, /004-late\.ts runs now, after 005-fill-slugs, which has a greater number/)
  assert.deepEqual(await project.values('slug'), ['title 1', 'title 2'])
})

test('two nodes that start at once run a migration once', {
  skip: testedStore === 'sqlite' && 'a SQLite file has one node',
}, async (t) => {
  const project = await Project.make(t, 'type Post { id: ID! title: String! hits: Int }')
  await project.start()
  await project.makePosts(30)
  const change = '(row) => ({ hits: (row.hits ?? 0) + 1 })'
  await project.write('migrations/001-hits.ts', `export default { type: 'Post', portion: 3, change: ${change} }`)
  const nodes = await Promise.all([1, 2, 3].map(() => openService(project.options())))
  assert.deepEqual(await project.values('hits'), Array(30).fill(1)) // asked from the node of before
  assert.equal(project.logged.filter((line) => line.startsWith('data migration finished')).length, 1)
  await Promise.all(nodes.map((node) => node.close()))
})

test('a portion may have more rows than a page of a list', async (t) => {
  const project = await Project.make(t, posts)
  await project.start()
  await project.makePosts(9)
  await project.close()
  for (const page of [2, 0]) {
    await project.write(
      `migrations/00${page + 1}-titles.ts`,
      `export default {
      type: 'Post', portion: 6, change: (row) => ({ title: row.title + '!' }),
    }`,
    )
    const visited = [0]
    const limits = { ...defaultLimits, page }
    const onMigration = (report: { visited: number }) => visited.push(report.visited)
    const service = await openService({ ...project.options(), limits, onMigration })
    await service.close()
    assert.equal(visited.at(-1), 9)
    const portions = visited.slice(1).map((rows, index) => rows - visited[index]!)
    assert.ok(Math.max(...portions) > 2, `portions of ${portions} rows`)
  }
})

const trash = (slug: string, title = '') => `
  type Post @softDelete @allow { id: ID! title: String! ${title} slug: ${slug} notes: [Note!]! }
  type Note @allow { id: ID! text: String post: Post! @relation(onDelete: CASCADE) }
`

test('deleted rows do not hold up a field that becomes required or unique; they come back when they fit', async (t) => {
  const project = await Project.make(t, trash('String'))
  await project.start()
  await project.makePosts(4)
  await project.send('PUT', '/notes/n1', { post: 'p003' })
  for (const id of ['p002', 'p003']) {
    await project.send('PATCH', `/posts/${id}`, { title: 'Title 1', ...(id === 'p003' && { slug: 'three' }) })
    await project.send('DELETE', `/posts/${id}`)
  }
  await project.write('schema.graphql', trash('String!', '@unique').replace('text: String post', 'text: String! post'))
  await project.write('migrations/001-fill-slugs.ts', fillSlugs)
  await project.start()
  assert.deepEqual(await project.values('slug'), ['title 1', 'title 4'])
  const deleted = async () => (await project.send('GET', '/posts?deleted=only&fields=id')).body
  assert.deepEqual(await deleted(), [{ id: 'p003' }])

  const lacking = await project.send('POST', '/posts/p002/restorations')
  assert.equal(lacking.status, 409, JSON.stringify(lacking.body))
  const problemsOf = (errors: { path: string; code: string }[]) => errors.map(({ path, code }) => [path, code])
  const expected = [
    ['slug', 'REQUIRED'],
    ['title', 'UNIQUE'],
  ]
  assert.deepEqual(problemsOf((lacking.body as { errors: never[] }).errors), expected)
  const query = 'mutation { restorePost(id: "p002") { id } }'
  const { errors } = (await project.send('POST', '/graphql', { query })).body as {
    errors: { extensions: { code: string; errors: never[] } }[]
  }
  assert.equal(errors[0]!.extensions.code, 'CONFLICT')
  assert.deepEqual(problemsOf(errors[0]!.extensions.errors), expected)
  const along = (await project.send('POST', '/posts/p003/restorations')).body as { errors: never[] }
  assert.deepEqual(problemsOf(along.errors), [
    ['', 'REQUIRED'],
    ['title', 'UNIQUE'],
  ])

  await project.write('schema.graphql', trash('String'))
  await project.start()
  assert.equal(((await deleted()) as unknown[]).length, 2)
  assert.equal((await project.send('POST', '/posts/p002/restorations')).status, 200)
  assert.equal((await project.send('POST', '/posts/p003/restorations')).status, 200)
})
