// XML, NDJSON and CSV over the real engine and store.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bodyText } from '../../packages/twain/src/base/http/index.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
type Post {
  id: ID!
  title: String!
  stars: Int
  price: Decimal
  open: Boolean
  kind: Kind
  labels: [String!]
  place: Place
  meta: JSON
  author: User
  tags: [Tag!]!
}
type User { id: ID! name: String! posts: [Post!]! }
type Tag { id: ID! name: String! posts: [Post!]! }
type Place { city: String parts: [Place!] }
enum Kind { SHORT LONG }
union Found = Post | User
`
let apis: TestApis
let user: { id: string }

before(async () => {
  apis = await openApis(sdl)
  user = (await restBody(apis, 'POST', '/users', { name: 'Ann' })) as { id: string }
})
after(() => apis.close())

async function xml(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
  const headers: Record<string, string> = { accept: 'application/xml' }
  if (body !== undefined) headers['content-type'] = 'application/xml'
  const reply = await apis.send('rest', { method, path, headers, ...(body === undefined ? {} : { body }) })
  return { status: reply.status, text: (await bodyText(reply)).replace(/^<\?xml[^>]*\?>\n/, '').trimEnd() }
}

async function stream(accept: string, path: string): Promise<string> {
  const reply = await apis.send('rest', { method: 'GET', path, headers: { accept } })
  assert.equal(reply.status, 200, String(reply.body))
  assert.equal(reply.headers.etag, undefined)
  return bodyText(reply)
}

const rows = [
  { title: 'plain', stars: 5, price: '1.50', open: true, kind: 'LONG', labels: ['a', 'b'], place: { city: 'Oslo' } },
  { title: ' <&>"\r\n\u0001\ud83d\ude00 ', stars: null, labels: [], meta: { a: [1, 'x', null] } },
  { title: '', open: false, place: { city: null, parts: [{ city: 'B' }] }, meta: 'text' },
]

test('R52, R54: a row that was read as XML can be written back unchanged', async () => {
  for (const row of rows) {
    const made = (await restBody(apis, 'POST', '/posts', { ...row, author: user.id })) as { id: string }
    const { text } = await xml('GET', `/posts/${made.id}`)
    const put = await xml('PUT', '/posts/copy', text.replaceAll(made.id, 'copy'))
    assert.ok(put.status < 300, put.text)
    const copy = (await restBody(apis, 'GET', '/posts/copy')) as object
    assert.deepEqual(copy, { ...made, id: 'copy' })
    await restBody(apis, 'DELETE', `/posts/${made.id}`)
  }
  await restBody(apis, 'DELETE', '/posts/copy')
})

test('R52, R53: in XML the root is the type, a field is an element, a list has items, null is an empty element', async () => {
  const made = (await restBody(apis, 'POST', '/posts', { title: 'a & b', labels: ['x'], author: user.id })) as {
    id: string
  }
  const { text } = await xml('GET', `/posts/${made.id}?fields=title,stars,labels,author.name,tags.name`)
  assert.equal(
    text,
    '<post><title>a &amp; b</title><stars nil="true"/><labels><item>x</item></labels><author><name>Ann</name></author><tags/></post>',
  )
  assert.equal((await xml('GET', '/posts?fields=title')).text, '<posts><post><title>a &amp; b</title></post></posts>')
  assert.match(
    (await xml('GET', '/posts?first=1&fields=title')).text,
    /^<postConnection><edges><item><node><title>a &amp; b<\/title><\/node><cursor>[^<]+<\/cursor><\/item><\/edges><pageInfo><hasNextPage>false<\/hasNextPage><endCursor>/,
  )
  assert.match((await xml('GET', '/founds?limit=1')).text, /^<founds><found><type>User<\/type><id>/)
  await restBody(apis, 'DELETE', `/posts/${made.id}`)
})

test('R51, R54: several rows, and links, are written in XML too', async () => {
  const made = await xml(
    'POST',
    '/posts?fields=title',
    '<posts><post><title>1</title></post><post><title>2</title></post></posts>',
  )
  assert.deepEqual([made.status, made.text.length > 0], [201, true])
  assert.equal(made.text, '<posts><post><title>1</title></post><post><title>2</title></post></posts>')
  const tag = (await restBody(apis, 'POST', '/tags', { name: 't' })) as { id: string }
  const linked = await xml(
    'POST',
    '/posts?fields=tags.name',
    `<post><title>3</title><tags><item>${tag.id}</item></tags></post>`,
  )
  assert.equal(linked.text, '<post><tags><item><name>t</name></item></tags></post>')
})

test('R54: every mistake in a body is reported, as XML', async () => {
  const { status, text } = await xml(
    'POST',
    '/posts',
    '<post><titel>x</titel><stars>five</stars><labels><i>x</i></labels><open x="1">maybe</open></post>',
  )
  assert.equal(status, 400)
  for (const path of ['labels.0', 'open']) assert.match(text, new RegExp(`<path>${path}</path>`))
  const { text: more } = await xml('POST', '/posts', '<post><titel>x</titel><stars>five</stars></post>')
  for (const path of ['titel', 'title', 'stars']) assert.match(more, new RegExp(`<path>${path}</path>`))
  for (const body of [
    '<!DOCTYPE post [<!ENTITY a "b">]><post><title>&a;</title></post>',
    '<user/>',
    '<post>x</post>',
    '',
  ]) {
    assert.equal((await xml('POST', '/posts', body)).status, 400, body)
  }
})

test('R55, R56, R57: a stream has all rows in the requested order, or as many as requested', async () => {
  for (let from = 0; from < 300; from += 100) {
    const some = Array.from({ length: 100 }, (_, n) => ({ name: `n${String(from + n).padStart(3, '0')}` }))
    await restBody(apis, 'POST', '/tags', some)
  }
  const names = async (query: string) => {
    const text = await stream('application/x-ndjson', `/tags?fields=name&name[startsWith]=n${query}`)
    return text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { name: string }).name)
  }
  const all = await names('&sort=-name')
  assert.deepEqual([all.length, all[0], all.at(-1)], [300, 'n299', 'n000'])
  assert.equal(new Set(await names('')).size, 300)
  assert.deepEqual(await names('&sort=name&limit=250&offset=49'), all.toReversed().slice(49, 299))
  assert.deepEqual(await names('&limit=0'), [])
  assert.deepEqual(await names('&offset=300'), [])
  assert.deepEqual(await names('&sort=name&first=2'), ['n000', 'n001'])
  const csv = (await stream('text/csv', '/tags?fields=name&sort=name&name[startsWith]=n')).split('\r\n')
  assert.deepEqual([csv.length, csv[0], csv[1], csv.at(-1)], [302, 'name', 'n000', ''])
})

test('R55: a mistake in a request for a stream is reported before the stream begins', async () => {
  const status = async (path: string) =>
    (await apis.send('rest', { method: 'GET', path, headers: { accept: 'text/csv' } })).status
  assert.equal(await status('/users/nobody/posts'), 404)
  for (const query of ['limit=x', 'limit=-1', 'limit=1&first=1', 'nme=1', 'after=x', 'fields=nme']) {
    assert.equal(await status(`/posts?${query}`), 400, query)
  }
})

test('R33, R55: a stream can be counted', async () => {
  const headers = { accept: 'application/x-ndjson', prefer: 'count=exact' }
  const reply = await apis.send('rest', { method: 'GET', path: '/users', headers })
  assert.deepEqual([reply.headers['x-total-count'], reply.headers['preference-applied']], ['1', 'count=exact'])
})

test('R57: in CSV cells are quoted where necessary, objects are columns, lists are JSON', async () => {
  await restBody(apis, 'PUT', '/posts/csv', {
    title: 'say "hi",\r\nyou',
    labels: ['a', 'b'],
    place: { city: '=1+1', parts: [{ city: 'B' }] },
    meta: { a: 1 },
    author: user.id,
  })
  await restBody(apis, 'PUT', '/posts/csv2', { title: '' })
  const query = 'id[in]=csv,csv2&fields=id,title,stars,labels,place,meta,author.name'
  assert.equal(
    await stream('text/csv', `/posts?${query}`),
    'id,title,stars,labels,place.city,place.parts,meta,author.name\r\n' +
      'csv,"say ""hi"",\r\nyou",,"[""a"",""b""]",=1+1,"[{""city"":""B"",""parts"":null}]","{""a"":1}",Ann\r\n' +
      'csv2,"",,,,,,\r\n',
  )
  const over = (await stream('text/csv', '/founds')).split('\r\n')
  assert.match(over[0]!, /^type,id,title,.*,name$/)
})
