// Files through the GraphQL API (docs/reference/graphql.md, "Files").
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { type FilesService, form, openFiles } from './open-files.ts'

const upload = 'mutation ($file: Upload!) { uploadFile(file: $file) { id url name mediaType size __typename } }'
const createPost = `mutation ($input: CreatePostInput!) {
  createPost(input: $input) { id cover { id url size } photos { name } }
}`

test('uploadFile takes a file of the request', async (t) => {
  const house = await openFiles(t)
  const ann = await house.signUp('ann')
  const { json, status } = await post(house, ann, upload, { file: null }, { 0: ['variables.file'] }, { 0: 'hello' })
  assert.equal(status, 200)
  const { id, url, ...rest } = json.data.uploadFile
  assert.deepEqual(rest, { name: '0.txt', mediaType: 'text/plain', size: 5, __typename: 'File' })
  assert.match(url, new RegExp(`^/files/${id}\\?`))
  assert.equal((await house.send('GET', url)).text, 'hello')
})

test('an input takes files and ids, and a file that is used in two places is stored once', async (t) => {
  const house = await openFiles(t)
  const ann = await house.signUp('ann')
  const before = await post(house, ann, upload, { file: null }, { a: ['variables.file'] }, { a: 'before' })
  const old = before.json.data.uploadFile.id
  const input = { title: 'a', cover: null, photos: [old, null, null] }
  const map = { x: ['variables.input.cover', 'variables.input.photos.1'], y: ['variables.input.photos.2'] }
  const { json } = await post(house, ann, createPost, { input }, map, { x: 'xx', y: 'yyy' })
  const { id, cover, photos } = json.data.createPost
  assert.deepEqual(cover, { id: cover.id, url: `/files/${cover.id}`, size: 2 })
  assert.deepEqual(photos, [{ name: 'a.txt' }, { name: 'x.txt' }, { name: 'y.txt' }])
  assert.equal(await house.stored(), 3)

  const update =
    'mutation ($id: ID!, $cover: Upload) { updatePost(id: $id, cover: $cover) { cover { size } _version } }'
  const changed = await post(house, ann, update, { id, cover: null }, { 0: ['variables.cover'] }, { 0: 'four' })
  assert.deepEqual(changed.json.data.updatePost, { cover: { size: 4 }, _version: 2 })
  const byId = await house.graphql(update, { id, cover: old }, ann)
  assert.deepEqual(byId.data.updatePost.cover, { size: 6 })
  const literal = await house.graphql(`mutation { updatePost(id: "${id}", cover: null) { cover { id } } }`, {}, ann)
  assert.deepEqual(literal.data.updatePost, { cover: null })
})

test('rows that are created together take files, and leave none if they fail', async (t) => {
  const house = await openFiles(t)
  const ann = await house.signUp('ann')
  const createPosts = `mutation ($inputs: [CreatePostInput!]!) {
    createPosts(inputs: $inputs) { cover { size } photos { name url } }
  }`
  const inputs = [
    { title: 'a', cover: null },
    { title: 'b', photos: [null] },
  ]
  const map = { x: ['variables.inputs.0.cover'], y: ['variables.inputs.1.photos.0'] }
  const files = { x: 'xx', y: 'yyy' }
  const { json } = await post(house, ann, createPosts, { inputs }, map, files)
  const [first, second] = json.data.createPosts
  assert.deepEqual(first, { cover: { size: 2 }, photos: [] })
  assert.equal((await house.send('GET', second.photos[0].url)).text, 'yyy')
  assert.equal(await house.stored(), 2)

  const bad = [inputs[0], { ...inputs[1], title: 'a'.repeat(5), photos: [null, 'none'] }]
  const refused = await post(house, ann, createPosts, { inputs: bad }, map, files)
  assert.equal(refused.json.errors[0].extensions.code, 'CONFLICT')
  assert.equal(await house.stored(), 2)
})

test('nested rows take files', async (t) => {
  const house = await openFiles(
    t,
    `type Album { id: ID! title: String! pages: [Page!]! @relation(inverse: "album") }
     type Page { id: ID! scan: File! more: [File!]! album: Album! notes: [Note!]! @relation(inverse: "page") }
     type Note { id: ID! sound: File page: Page! }`,
  )
  const create = `mutation ($input: CreateAlbumInput!) {
    createAlbum(input: $input) { pages { scan { size url } more { size } notes { sound { size } } } }
  }`
  const page = { scan: null, more: [null], notes: [{ sound: null }] }
  const at = 'variables.input.pages'
  const map = { a: [`${at}.0.scan`, `${at}.1.scan`], b: [`${at}.0.more.0`], c: [`${at}.0.notes.0.sound`] }
  const files = { a: 'a', b: 'bb', c: 'ccc' }
  const input = { title: 'x', pages: [page, { scan: null }] }
  const guard = { 'x-requested-with': 'test' }
  const { json } = await post(house, guard, create, { input }, map, files)
  const [first, second] = json.data.createAlbum.pages
  assert.deepEqual([first.scan.size, first.more, first.notes], [1, [{ size: 2 }], [{ sound: { size: 3 } }]])
  assert.deepEqual(second.scan, first.scan)
  assert.equal((await house.send('GET', second.scan.url)).text, 'a')
  assert.equal(await house.stored(), 3)

  const bad = { title: 'x', pages: [{ scan: null }, { scan: 'none' }] }
  const refused = await post(house, guard, create, { input: bad }, { a: [`${at}.0.scan`] }, { a: 'another' })
  assert.equal(refused.json.errors[0].extensions.code, 'CONFLICT')
  assert.equal(await house.stored(), 3)
})

test('the operations of a batch take files, their own and shared ones', async (t) => {
  const house = await openFiles(t)
  const ann = await house.signUp('ann')
  const operations = [
    { query: upload, variables: { file: null } },
    { query: createPost, variables: { input: { title: 'a', cover: null, photos: [null] } } },
    { query: createPost, variables: { input: { cover: null } } },
    { query: '{ posts { title } }' },
  ]
  const map = {
    x: ['0.variables.file', '1.variables.input.cover'],
    y: ['1.variables.input.photos.0'],
    z: ['2.variables.input.cover'],
  }
  const { json, status } = await sendOperations(house, ann, operations, map, { x: 'xx', y: 'yyy', z: 'zzzz' })
  assert.equal(status, 200)
  const [uploaded, created, failed, read] = json
  assert.equal(created.data.createPost.cover.id, uploaded.data.uploadFile.id)
  assert.deepEqual(created.data.createPost.photos, [{ name: 'y.txt' }])
  assert.equal(failed.errors[0].extensions.code, 'VALIDATION_FAILED')
  assert.deepEqual(read.data, { posts: [{ title: 'a' }] })
  assert.equal(await house.stored(), 2)

  for (const [bad, place] of [
    [Array(11).fill(operations[0]), '0.variables.file'],
    [operations, 'variables.file'],
    [operations, '9.variables.file'],
    [operations, 'length.variables.file'],
  ] as const) {
    const reply = await sendOperations(house, ann, bad, { x: [place] }, { x: 'other' })
    assert.equal(reply.status, 400, place)
  }
  assert.equal(await house.stored(), 2)
})

test('both APIs represent a file alike', async (t) => {
  const house = await openFiles(t)
  const ann = await house.signUp('ann')
  const { json } = await post(
    house,
    ann,
    createPost,
    { input: { title: 'a', cover: null } },
    { 0: ['variables.input.cover'] },
    { 0: 'x' },
  )
  const { id } = json.data.createPost
  const picks = 'cover { id url name mediaType size } photosConnection(first: 1) { totalCount }'
  const sent = await house.graphql(`{ post(id: "${id}") { ${picks} } posts(where: {cover: {size: {eq: 1}}}) { id } }`)
  const rest = await house.send('GET', `/posts/${id}?fields=cover.id,cover.url,cover.name,cover.mediaType,cover.size`)
  assert.deepEqual(sent.data, {
    post: { ...rest.json, photosConnection: { totalCount: 0 } },
    posts: [{ id }],
  })
  const whole = await house.send('GET', `/posts/${id}`)
  assert.equal(whole.json.cover, sent.data.post.cover.id)
})

test('a mutation that fails leaves no file behind', async (t) => {
  const house = await openFiles(t)
  const ann = await house.signUp('ann')
  const map = { 0: ['variables.input.cover'] }
  const bad = await post(house, ann, createPost, { input: { cover: null } }, map, { 0: 'x' })
  assert.equal(bad.json.errors[0].extensions.code, 'VALIDATION_FAILED')
  const unknown = await post(house, ann, '{ nothing }', { input: { cover: null } }, map, { 0: 'x' })
  assert.equal(unknown.json.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED')
  const refused = await post(house, ann, createPost, { input: { title: 'a', cover: null, photos: ['none'] } }, map, {
    0: 'x',
  })
  assert.equal(refused.json.errors[0].extensions.code, 'CONFLICT')
  const unused = await post(house, ann, '{ posts { id } }', { input: { cover: null } }, map, { 0: 'x' })
  assert.deepEqual(unused.json.data, { posts: [] })
  assert.equal(await house.stored(), 0)
})

test('a file is accepted only where an Upload is expected', async (t) => {
  const house = await openFiles(
    t,
    'type Photo { id: ID! name: String file: File extra: JSON box: Box } type Box { a: Int }',
  )
  const create = 'mutation ($input: CreatePhotoInput!) { createPhoto(input: $input) { id } }'
  const guard = { 'x-requested-with': 'test' }
  for (const path of ['input.name', 'input.extra.deep.0', 'input.box', 'input.box.a', 'input']) {
    const variables = { input: { name: null, extra: { deep: [null] }, box: { a: null }, file: 'x' } }
    const own: Record<string, unknown> = path === 'input' ? { input: null } : structuredClone(variables)
    if (path === 'input.box') (own.input as { box: unknown }).box = null
    const { json } = await post(house, guard, create, own, { 0: [`variables.${path}`] }, { 0: 'x' })
    assert.match(json.errors[0].extensions.code, /VALIDATION_FAILED|BAD_REQUEST/, path)
  }
  const read = await post(
    house,
    guard,
    'query ($id: ID!) { photo(id: $id) { id } }',
    { id: null },
    { 0: ['variables.id'] },
    { 0: 'x' },
  )
  assert.equal(read.json.errors[0].extensions.code, 'VALIDATION_FAILED')
  const id = await house.graphql(upload, { file: 'an id' })
  assert.equal(id.errors[0].extensions.code, 'VALIDATION_FAILED')
  assert.equal(await house.stored(), 0)
})

test('a multipart request without a preflight header, or of a viewer who may not upload, is not read', async (t) => {
  const house = await openFiles(t, 'type Photo @allow(to: [READ]) @allow(role: "admin") { id: ID! file: File }')
  const ask = (headers: Record<string, string>) =>
    post(house, headers, upload, { file: null }, { 0: ['variables.file'] }, { 0: 'x' })
  const bare = await ask({})
  assert.equal(bare.status, 400)
  assert.match(bare.json.errors[0].extensions.hint, /apollo-require-preflight/)
  assert.equal((await ask({ 'apollo-require-preflight': 'true' })).status, 401)
  assert.equal(await house.stored(), 0)
})

test('malformed requests are refused and leave nothing', async (t) => {
  const house = await openFiles(t, 'type Photo { id: ID! file: File }', { ...defaultLimits, uploadBytes: 1000 })
  const operations = JSON.stringify({
    query: upload,
    variables: { file: null, list: [null], deep: { __proto__: null } },
  })
  const file = { name: '0', fileName: 'a', value: 'x' }
  const text = (name: string, value: string) => ({ name, value })
  const map = (paths: unknown) => text('map', JSON.stringify({ 0: paths }))
  const right = text('operations', operations)
  const cases: [string, Parameters<typeof form>[0], number][] = [
    ['nothing', [], 400],
    ['no map', [right], 400],
    ['the wrong order', [map(['variables.file']), right, file], 400],
    ['a file first', [file, right, map(['variables.file'])], 400],
    ['operations that are no JSON', [text('operations', '{'), map(['variables.file']), file], 400],
    ['operations that are a number', [text('operations', '1'), map(['variables.file']), file], 400],
    ['a map that is a list', [right, text('map', '["variables.file"]'), file], 400],
    ['a place that is no list', [right, map('variables.file'), file], 400],
    ['a place that is not there', [right, map(['variables.other']), file], 400],
    ['a place that is not null', [right, map(['query']), file], 400],
    ['a place beside the variables', [right, map(['extensions']), file], 400],
    ['the variables themselves', [right, map(['variables']), file], 400],
    ['a prototype', [right, map(['variables.__proto__.x']), file], 400],
    ['a prototype key', [right, map(['variables.deep.__proto__']), file], 400],
    ['a constructor', [right, map(['variables.constructor.prototype.x']), file], 400],
    ['a list index that is none', [right, map(['variables.list.length']), file], 400],
    ['a number as a place', [right, map([7]), file], 400],
    ['a file that does not come', [right, map(['variables.file'])], 400],
    ['a file that nobody names', [right, map(['variables.file']), { ...file, name: '1' }], 400],
    ['a file that comes twice', [right, map(['variables.file']), file, file], 400],
    ['a file that is too large', [right, map(['variables.file']), { ...file, value: 'x'.repeat(1001) }], 413],
  ]
  for (const [what, parts, status] of cases) {
    const sent = form(parts)
    const headers = { ...sent.headers, 'x-requested-with': 'test' }
    const reply = await house.send('POST', '/graphql', { ...sent, headers })
    assert.equal(reply.status, status, `${what}: ${reply.text}`)
    assert.ok(Array.isArray(reply.json.errors), what)
  }
  const whole = form([right, map(['variables.file']), file])
  for (let length = 1; length < String(whole.body).length - 4; length += 7) {
    const headers = { ...whole.headers, 'x-requested-with': 'test' }
    const reply = await house.send('POST', '/graphql', { headers, body: String(whole.body).slice(0, length) })
    assert.equal(reply.status, 400, `cut at ${length}: ${reply.text}`)
  }
  assert.equal(await house.stored(), 0)
  assert.equal(Object.hasOwn(Object.prototype, 'x'), false)
})

function post(
  house: FilesService,
  headers: Record<string, string>,
  query: string,
  variables: object,
  map: object,
  files: Record<string, string>,
) {
  return sendOperations(house, headers, { query, variables }, map, files)
}

function sendOperations(
  house: FilesService,
  headers: Record<string, string>,
  operations: unknown,
  map: object,
  files: Record<string, string>,
) {
  const sent = form([
    { name: 'operations', value: JSON.stringify(operations) },
    { name: 'map', value: JSON.stringify(map) },
    ...Object.entries(files).map(([name, value]) => ({ name, fileName: `${name}.txt`, type: 'text/plain', value })),
  ])
  return house.send('POST', '/graphql', { ...sent, headers: { ...sent.headers, ...headers } })
}
