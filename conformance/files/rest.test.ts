// Files through the REST API (docs/reference/rest.md, R100–R107).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { type FilesService, form, openFiles } from './open-files.ts'

const json = { 'content-type': 'application/json' }
const png = { 'content-type': 'image/png' }
type Who = { authorization?: string }

test('R100, R101: a body is stored as a file, and its url returns it', async (t) => {
  const { send, signUp } = await openFiles(t)
  const ann = await signUp('ann')
  const made = await send('POST', '/files?name=a%20b.png', { headers: { ...ann, ...png }, body: 'bytes' })
  assert.equal(made.status, 201)
  const { id, url, ...rest } = made.json
  assert.deepEqual(rest, { name: 'a b.png', mediaType: 'image/png', size: 5 })
  assert.equal(made.headers.location, `/files/${id}`)
  assert.match(url, new RegExp(`^/files/${id}\\?expires=\\d+&signature=[\\w-]{43}$`))

  const read = await send('GET', url)
  assert.deepEqual([read.status, read.text], [200, 'bytes'])
  assert.equal(read.headers['content-type'], 'image/png')
  assert.equal(read.headers['content-length'], '5')
  assert.equal(read.headers['content-disposition'], 'inline; filename="a b.png"')
  assert.equal(read.headers['x-content-type-options'], 'nosniff')
  assert.equal(read.headers.etag, `"${createHash('sha256').update('bytes').digest('hex')}"`)
})

test('R102: a form with one file is accepted; with none, two, or anything else it is refused and leaves nothing', async (t) => {
  const { send, signUp, stored } = await openFiles(t)
  const ann = await signUp('ann')
  const post = (sent: ReturnType<typeof form>) =>
    send('POST', '/files', { ...sent, headers: { ...sent.headers, ...ann } })
  const file = { name: 'file', fileName: 'a.txt', type: 'text/plain', value: 'hello' }
  const refused = [
    form([]),
    form([file, file]),
    form([file, { name: 'x', value: 'y' }]),
    form([{ name: 'file', value: 'x' }]),
  ]
  for (const sent of refused) assert.match(String((await post(sent)).status), /^(400|413)$/)
  const cut = form([file])
  assert.equal((await post({ ...cut, body: String(cut.body).slice(0, -40) })).status, 400)
  assert.equal((await post({ ...cut, headers: { 'content-type': 'multipart/form-data' } })).status, 400)
  assert.equal((await post({ ...cut, body: 'nonsense' })).status, 400)
  assert.equal(await stored(), 0)

  const made = await post(form([file]))
  assert.equal(made.status, 201)
  assert.deepEqual([made.json.name, made.json.mediaType, made.json.size], ['a.txt', 'text/plain', 5])
  assert.equal(await stored(), 1)
})

test('R103: a file name is a label without folders and control characters; its header can have any letters', async (t) => {
  const { send, signUp } = await openFiles(t)
  const ann = await signUp('ann')
  const named = async (headers: Record<string, string>, query = '') => {
    const { url, name } = (await send('POST', `/files${query}`, { headers: { ...ann, ...headers }, body: 'x' })).json
    return [name, (await send('GET', url)).headers['content-disposition']]
  }
  assert.deepEqual(await named({}), ['file', 'attachment; filename="file"'])
  assert.deepEqual(await named({}, '?name=..%2F..%2Fetc%2Fpasswd'), ['passwd', 'attachment; filename="passwd"'])
  assert.deepEqual(await named({}, '?name=..'), ['file', 'attachment; filename="file"'])
  assert.deepEqual(
    await named({ 'content-disposition': `attachment; filename*=UTF-8''%C3%A9t%C3%A9%22.png`, ...png }),
    ['été".png', `inline; filename="_t__.png"; filename*=UTF-8''%C3%A9t%C3%A9%22.png`],
  )
  assert.deepEqual((await named({}, '?name=a%0D%0Ab'))[0], 'ab')
})

test('R105: content that a browser could execute is sent as an attachment', async (t) => {
  const { send, signUp } = await openFiles(t)
  const ann = await signUp('ann')
  for (const type of [
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/pdf',
    'no type',
  ]) {
    const made = await send('POST', '/files?name=a', { headers: { ...ann, 'content-type': type }, body: '<script>' })
    const { headers } = await send('GET', made.json.url)
    assert.equal(headers['content-disposition'], 'attachment; filename="a"', type)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
    assert.equal(headers['content-type'], type === 'no type' ? 'application/octet-stream' : type)
  }
})

test('R106: ranges, HEAD and conditions', async (t) => {
  const { send, signUp } = await openFiles(t)
  const ann = await signUp('ann')
  const { url } = (await send('POST', '/files', { headers: { ...ann, ...png }, body: '0123456789' })).json
  const get = (headers: Record<string, string>, method = 'GET') => send(method, url, { headers })
  const ranged = async (range: string, more = {}) => {
    const { status, text, headers } = await get({ range, ...more })
    return [status, headers['content-range'], status === 416 ? '' : text]
  }
  assert.deepEqual(await ranged('bytes=2-4'), [206, 'bytes 2-4/10', '234'])
  assert.deepEqual(await ranged('bytes=8-99'), [206, 'bytes 8-9/10', '89'])
  assert.deepEqual(await ranged('bytes=7-'), [206, 'bytes 7-9/10', '789'])
  assert.deepEqual(await ranged('bytes=-3'), [206, 'bytes 7-9/10', '789'])
  assert.deepEqual(await ranged('bytes=-99'), [206, 'bytes 0-9/10', '0123456789'])
  assert.deepEqual(await ranged('bytes=10-'), [416, 'bytes */10', ''])
  assert.deepEqual(await ranged('bytes=-0'), [416, 'bytes */10', ''])
  for (const ignored of ['bytes=4-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-', 'bytes=a-b']) {
    assert.deepEqual(await ranged(ignored), [200, undefined, '0123456789'], ignored)
  }
  const { etag } = (await get({})).headers
  assert.deepEqual(await ranged('bytes=0-0', { 'if-range': String(etag) }), [206, 'bytes 0-0/10', '0'])
  assert.deepEqual(await ranged('bytes=0-0', { 'if-range': '"other"' }), [200, undefined, '0123456789'])
  assert.equal((await get({ 'if-none-match': String(etag) })).status, 304)
  const head = await get({ range: 'bytes=0-0' }, 'HEAD')
  assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '10'])
  assert.equal((await get({}, 'DELETE')).headers.allow, 'GET, HEAD, OPTIONS')
  assert.equal((await send('DELETE', '/files', {})).headers.allow, 'GET, HEAD, POST, OPTIONS')
})

test('R104: a file that is too large is refused during the upload, and nothing is left of it', async (t) => {
  const { send, signUp, stored } = await openFiles(t, undefined, { ...defaultLimits, uploadBytes: 1000 })
  const ann = await signUp('ann')
  const body = 'x'.repeat(1001)
  assert.equal((await send('POST', '/files', { headers: { ...ann, ...png }, body })).status, 413)
  const sent = form([{ name: 'file', fileName: 'a', value: body }])
  const refused = await send('POST', '/files', { ...sent, headers: { ...sent.headers, ...ann } })
  assert.equal(refused.status, 413)
  assert.match(refused.json.hint, /limits\.upload/)
  assert.equal(await stored(), 0)
})

test('R107: a file can be read by viewers of a row that refers to it and by its uploader, and by nobody else', async (t) => {
  const house = await openFiles(t)
  const { send, signUp } = house
  const [ann, bob] = [await signUp('ann'), await signUp('bob')]
  const loose = await upload(house, ann)
  const reads = async (id: string, who: Who = {}) => (await send('GET', `/files/${id}`, { headers: { ...who } })).status
  assert.deepEqual([await reads(loose), await reads(loose, bob), await reads(loose, ann)], [404, 404, 200])

  const scan = await upload(house, ann)
  const note = await send('POST', '/notes', { headers: { ...json, ...ann }, body: JSON.stringify({ scan }) })
  assert.equal(note.json.scan, scan)
  assert.deepEqual([await reads(scan), await reads(scan, bob), await reads(scan, ann)], [404, 404, 200])

  const cover = await upload(house, ann)
  const body = JSON.stringify({ title: 'a', cover, photos: [loose] })
  const post = await send('POST', '/posts', { headers: { ...json, ...ann }, body })
  assert.deepEqual([post.status, post.json.cover], [201, cover])
  assert.deepEqual([await reads(cover), await reads(cover, bob), await reads(loose)], [200, 200, 200])
  const chosen = await send('GET', `/posts/${post.json.id}?fields=cover.url,cover.name,cover.size,photos.id,photos.url`)
  assert.deepEqual(chosen.json, {
    cover: { url: `/files/${cover}`, name: 'file', size: 5 },
    photos: [{ id: loose, url: `/files/${loose}` }],
  })
  const nested = await send('GET', `/posts/${post.json.id}/photos`)
  assert.deepEqual(nested.json, [{ id: loose, name: 'file', mediaType: 'image/png', size: 5 }])

  const own = await send('GET', `/notes/${note.json.id}?fields=scan.url`, { headers: { ...ann } })
  assert.match(own.json.scan.url, /signature=/)
  assert.equal((await send('GET', own.json.scan.url)).status, 200)
  const filtered = await send('GET', '/posts?cover.mediaType=image/png&fields=title')
  assert.deepEqual(filtered.json, [{ title: 'a' }])
})

test('R107: a row cannot refer to a file that its writer may not read, and no answer reveals that it exists', async (t) => {
  const house = await openFiles(t)
  const { send, signUp } = house
  const [ann, bob] = [await signUp('ann'), await signUp('bob')]
  const scan = await upload(house, ann)
  const put = (cover: string, who: Who) =>
    send('POST', '/posts', {
      headers: { ...json, ...who },
      body: JSON.stringify({ title: 'a', cover, photos: [cover] }),
    })
  const stolen = await put(scan, bob)
  const missing = await put('01981234-0000-7000-8000-000000000000', bob)
  assert.equal(stolen.status, 409)
  assert.deepEqual(
    stolen.json.errors.map(({ path, code }: { path: string; code: string }) => [path, code]),
    [
      ['cover', 'REFERENCE'],
      ['photos.0', 'REFERENCE'],
    ],
  )
  const output = (text: string, id: string) => text.replaceAll(id, '?')
  assert.equal(output(stolen.text, scan), output(missing.text, '01981234-0000-7000-8000-000000000000'))
})

test('R107: a signed url is for one file and for an hour', async (t) => {
  const house = await openFiles(t)
  const { send, signUp, wait } = house
  const ann = await signUp('ann')
  const [one, other] = [await made(house, ann), await made(house, ann)]
  const forged = one.url.replace(one.id, other.id)
  assert.equal((await send('GET', forged)).status, 404)
  assert.equal((await send('GET', one.url.replace(/signature=../, 'signature=xx'))).status, 404)
  assert.equal((await send('GET', one.url.replace(/expires=\d+/, 'expires=99999999999'))).status, 404)
  assert.equal((await send('GET', `${one.url}&x=1`)).status, 400)
  wait(0.99)
  assert.equal((await send('GET', one.url)).status, 200)
  wait(0.2)
  const late = await send('GET', one.url)
  assert.equal(late.status, 404)
  assert.match(late.json.hint, /Read the url of the file again/)
  assert.equal((await send('GET', one.url.replace(/signature=../, 'signature=xx'))).json.hint, undefined)
})

test('R100: a viewer who may write no file field may not upload', async (t) => {
  const closed = await openFiles(
    t,
    `type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique }
     type Post @allow(to: [READ]) @allow(role: "editor") { id: ID! cover: File }`,
  )
  const bob = await closed.signUp('bob')
  const sent = { body: 'x', headers: { ...png } }
  assert.equal((await closed.send('POST', '/files', sent)).status, 401)
  assert.equal((await closed.send('POST', '/files', { ...sent, headers: { ...png, ...bob } })).status, 403)
  assert.equal(await closed.stored(), 0)
})

test('an anonymous viewer uploads a file and refers to it from a row; then it can be read through that row alone', async (t) => {
  const house = await openFiles(t)
  const { send } = house
  const { id, url } = await made(house, {})
  assert.equal((await send('GET', url)).status, 200)
  assert.equal((await send('GET', `/files/${id}`)).status, 200)
  const letter = await send('POST', '/letters', { headers: json, body: JSON.stringify({ scan: id }) })
  assert.deepEqual([letter.status, letter.json.scan], [201, id])
  assert.equal((await send('GET', `/files/${id}`)).status, 404)
  const again = await send('POST', '/letters', { headers: json, body: JSON.stringify({ scan: id }) })
  assert.equal(again.status, 409)
})

test('without rules files are public: plain urls, with a public cache', async (t) => {
  const house = await openFiles(t, 'type Photo { id: ID! file: File! }')
  const { id, url } = await made(house, {})
  assert.equal(url, `/files/${id}`)
  const read = await house.send('GET', url)
  assert.match(String(read.headers['cache-control']), /^public/)
})

test('without a File in the schema /files is not found', async (t) => {
  const { send } = await openFiles(t, 'type Photo { id: ID! }')
  const none = await send('POST', '/files', { body: 'x' })
  assert.equal(none.status, 404)
  assert.match(none.json.detail, /File/)
})

async function made(house: FilesService, who: Who): Promise<{ id: string; url: string }> {
  return (await house.send('POST', '/files', { headers: { ...who, ...png }, body: 'bytes' })).json
}

async function upload(house: FilesService, who: Who): Promise<string> {
  return (await made(house, who)).id
}
