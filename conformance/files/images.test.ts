// Variants of images: sizes, fits and formats of uploaded images, over both APIs.
//
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { defaultFileSettings } from '../../packages/twain/src/files/index.ts'
import { keys, openS3 } from '../../packages/twain/src/files/s3.fixture.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { openApis } from '../harness/open-apis.ts'
import { type FilesService, openFiles } from './open-files.ts'

const settings = { ...defaultFileSettings, sizes: '16, 32,64', maxPixels: 1_000_000 }

test('R109 variants of an image: sizes, fits, formats, signatures, rules, and what is refused', async (t) => {
  const app = await openFiles(t, undefined, { ...defaultLimits, uploadBytes: 0 }, settings)
  const { send, sendBytes, graphql, stored } = app
  const ann = await app.signUp('ann')
  const bob = await app.signUp('bob')
  // 100 × 50 as stored; its orientation makes it 50 × 100. The metadata names a place.
  const photo = await sharp({ create: { width: 100, height: 50, channels: 3, background: '#2255aa' } })
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Copyright: 'Ann' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '59/1 54/1 0/1' } })
    .jpeg()
    .toBuffer()
  assert.equal((await sharp(photo).metadata()).orientation, 6)
  const cover = await upload(app, ann, photo, 'sea.jpg')
  const json = { 'content-type': 'application/json' }
  const post = (
    await send('POST', '/posts', { headers: { ...json, ...ann }, body: JSON.stringify({ title: 'Sea', cover }) })
  ).json

  await t.test('a width: upright, in proportion, without metadata', async () => {
    const { status, headers, bytes } = await sendBytes('GET', `/files/${cover}?width=32`)
    assert.deepEqual([status, headers['content-type']], [200, 'image/webp'])
    assert.equal(headers['content-disposition'], 'inline; filename="sea.webp"')
    const { width, height, format, exif, icc, xmp, orientation } = await sharp(bytes).metadata()
    assert.deepEqual([width, height, format], [32, 64, 'webp'])
    assert.deepEqual([exif, icc, xmp, orientation], [undefined, undefined, undefined, undefined])
  })

  await t.test('each fit and each format', async () => {
    const shape = async (query: string) => {
      const { status, bytes, headers } = await sendBytes('GET', `/files/${cover}?${query}`)
      assert.equal(status, 200, query)
      const { width, height, format } = await sharp(bytes).metadata()
      return `${width}x${height} ${format} ${headers['content-type']}`
    }
    assert.equal(await shape('width=64&height=16&fit=COVER&format=PNG'), '64x16 png image/png')
    assert.equal(await shape('width=64&height=64&fit=CONTAIN&format=JPEG'), '64x64 jpeg image/jpeg')
    assert.equal(await shape('width=64&height=16&fit=INSIDE&format=AVIF'), '8x16 heif image/avif')
    assert.equal(await shape('height=16&format=WEBP'), '8x16 webp image/webp')
  })

  await t.test('ETag, HEAD, Range and caching are as those of files', async () => {
    const whole = await sendBytes('GET', `/files/${cover}?width=16&format=PNG`)
    const etag = String(whole.headers.etag)
    assert.notEqual(etag, (await sendBytes('GET', `/files/${cover}`)).headers.etag)
    const head = await sendBytes('HEAD', `/files/${cover}?format=PNG&width=16`)
    assert.deepEqual(
      [head.status, head.headers['content-length'], head.headers.etag],
      [200, String(whole.bytes.length), etag],
    )
    const part = await sendBytes('GET', `/files/${cover}?width=16&format=PNG`, { headers: { range: 'bytes=1-3' } })
    assert.deepEqual([part.status, part.bytes.toString()], [206, 'PNG'])
    const known = await sendBytes('GET', `/files/${cover}?width=16&format=PNG`, { headers: { 'if-none-match': etag } })
    assert.equal(known.status, 304)
    assert.equal(whole.headers['cache-control'], (await sendBytes('GET', `/files/${cover}`)).headers['cache-control'])
  })

  await t.test('a variant is made once, also for many requests at once, and kept', async () => {
    const before = await stored()
    const many = await Promise.all(
      Array.from({ length: 12 }, () => sendBytes('GET', `/files/${cover}?width=64&height=32&fit=COVER`)),
    )
    assert.deepEqual([...new Set(many.map(({ status }) => status))], [200])
    assert.equal(new Set(many.map(({ headers }) => headers.etag)).size, 1)
    await sendBytes('GET', `/files/${cover}?height=32&width=64&format=WEBP&fit=COVER`)
    assert.equal(await stored(), before + 1)
  })

  await t.test('both APIs give the URL of a variant, and refuse the same', async () => {
    const query = `query ($id: ID!, $width: Int, $format: ImageFormat) {
      post(id: $id) {
        cover(width: $width, format: $format) { name url small: url(width: 16, height: 16, fit: COVER) }
        plain: cover { url }
      }
    }`
    const answer = await graphql(query, { id: post.id, width: 32, format: 'PNG' })
    const plain = `/files/${cover}`
    assert.deepEqual(answer.data.post, {
      cover: {
        name: 'sea.jpg',
        url: `${plain}?width=32&format=PNG`,
        small: `${plain}?width=16&height=16&fit=COVER&format=WEBP`,
      },
      plain: { url: plain },
    })
    assert.equal((await graphql(query, { id: post.id })).data.post.cover.url, plain)
    const rest = await send('GET', `/posts/${post.id}?fields=cover.url(width:32,format:PNG)`)
    assert.deepEqual(rest.json, { cover: { url: `${plain}?width=32&format=PNG` } })

    const wrong = await graphql(query, { id: post.id, width: 33 })
    assert.deepEqual(wrong.errors[0].extensions.errors, [
      { path: 'post.cover.width', code: 'RANGE', message: 'must be one of the sizes of this server: 16, 32, 64.' },
    ])
    const refused = async (target: string) => {
      const { status, json } = await send('GET', target)
      return `${status} ${json.errors[0].path} ${json.errors[0].code}`
    }
    assert.equal(await refused(`/posts/${post.id}?fields=cover.url(width:33)`), '400 fields.cover.url.width RANGE')
    assert.equal(await refused(`/files/${cover}?width=33`), '400 width RANGE')
    assert.equal(await refused(`/files/${cover}?width=16&height=999999`), '400 height RANGE')
    assert.equal(await refused(`/files/${cover}?width=-16`), '400 width TYPE')
    assert.equal(await refused(`/files/${cover}?format=PNG`), '400 width REQUIRED')
    assert.equal(await refused(`/files/${cover}?width=16&format=SVG`), '400 format TYPE')
    assert.equal(await refused(`/files/${cover}?width=16&width=32`), '400 width UNKNOWN')
  })

  await t.test('the rules of the file hold, and a signed URL opens its own variant only', async () => {
    const scan = await upload(app, ann, photo, 'scan.jpg')
    const note = await send('POST', '/notes', { headers: { ...json, ...ann }, body: JSON.stringify({ scan }) })
    const status = async (target: string, headers = {}) => (await sendBytes('GET', target, { headers })).status
    assert.deepEqual(
      [
        await status(`/files/${scan}?width=32`),
        await status(`/files/${scan}?width=32`, bob),
        await status(`/files/${scan}?width=32`, ann),
      ],
      [404, 404, 200],
    )
    const read = await send('GET', `/notes/${note.json.id}?fields=scan.url(width:32)`, { headers: ann })
    const { url } = read.json.scan
    assert.match(url, /\?width=32&format=WEBP&expires=\d+&signature=[\w-]+$/)
    assert.equal(await status(url), 200)
    assert.equal(await status(url.replace('&format=WEBP', '')), 200, 'the default says the same')
    for (const other of [
      url.replace('width=32', 'width=64'),
      url.replace('WEBP', 'PNG'),
      url.replace('width=32&format=WEBP&', ''),
    ]) {
      assert.equal(await status(other), 404)
    }
    const whole = (await graphql('query ($id: ID!) { note(id: $id) { scan { url } } }', { id: note.json.id }, ann)).data
      .note.scan.url
    assert.deepEqual([await status(whole), await status(`${whole}&width=32`)], [200, 404])
    const mine = await graphql(
      'query ($id: ID!) { note(id: $id) { scan(width: 32) { url } } }',
      { id: note.json.id },
      ann,
    )
    assert.equal(mine.data.note.scan.url, url)
  })

  await t.test('what is no image, a bomb or damaged is a 4xx, again and again', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><image href="file:///etc/passwd"/></svg>'
    const png = await sharp(photo).png().toBuffer()
    const cases: [name: string, bytes: Buffer, status: number][] = [
      ['text', Buffer.from('not really a picture'), 415],
      ['empty', Buffer.alloc(0), 415],
      ['svg', Buffer.from(svg), 415],
      ['svg behind a magic number', Buffer.concat([Buffer.from('GIF89a'), Buffer.from(svg)]), 415],
      ['bomb', emptyPng(30_000, 30_000), 413],
      ['truncated png', png.subarray(0, png.length - 30), 415],
      ['truncated jpeg', photo.subarray(0, photo.length / 2), 415],
      ['only a header', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 415],
    ]
    for (const [name, bytes, status] of cases) {
      const id = await upload(app, ann, bytes, 'x.png')
      for (const width of [16, 16, 32]) {
        const reply = await send('GET', `/files/${id}?width=${width}`, { headers: ann })
        assert.equal(reply.status, status, `${name}: ${reply.text}`)
        assert.match(reply.json.hint, /without width, height, fit and format/)
      }
      assert.equal((await send('GET', `/files/${id}`, { headers: ann })).status, 200)
    }
  })

  await t.test('of an animation the first frame; extreme proportions stay within their size', async () => {
    const frames = Uint8Array.from({ length: 20 * 2000 * 3 }, (_, at) => Math.floor(at / 1200) * 2)
    const gif = await sharp(frames, { raw: { width: 20, height: 2000, channels: 3, pageHeight: 20 } })
      .gif()
      .toBuffer()
    assert.ok((await sharp(gif).metadata()).pages! > 10)
    const id = await upload(app, ann, gif, 'x.gif')
    const still = await sharp((await sendBytes('GET', `/files/${id}?width=16`, { headers: ann })).bytes).metadata()
    assert.deepEqual([still.width, still.height, still.pages ?? 1], [16, 16, 1])
    const line = await upload(app, ann, emptyPng(2, 400_000), 'line.png')
    const tall = await sendBytes('GET', `/files/${line}?width=16`, { headers: ann })
    assert.equal(tall.status, 200)
    const cut = await sendBytes('GET', `/files/${line}?width=64&height=64&fit=COVER`, { headers: ann })
    assert.ok(cut.status === 200 || cut.status === 415, String(cut.status))
  })
})

test('the same variant through both APIs is the same plan', async (t) => {
  const apis = await openApis('type Photo { id: ID! file: File files: [File!]! }', { imageSizes: [16, 32] })
  t.after(() => apis.close())
  const plans = async (send: () => Promise<{ status: number }>) => {
    apis.executed.length = 0
    assert.equal((await send()).status, 200)
    return apis.executed.map(({ plan, values }) => ({ plan, values }))
  }
  const fields = 'file.url(width:16,height:32,fit:COVER,format:AVIF),files.url(width:16)'
  const rest = await plans(() => apis.rest('GET', `/photos?fields=${fields}`))
  const selection = '(width: 16, height: 32, fit: COVER, format: AVIF)'
  const graphql = (file: string) => `{ photos { ${file} files { url(width: 16) } } }`
  assert.deepEqual(await plans(() => apis.graphql(graphql(`file { url${selection} }`))), rest)
  assert.deepEqual(await plans(() => apis.graphql(graphql(`file${selection} { url }`))), rest)
  const variables =
    'query ($fit: ImageFit!, $width: Int) { photos { file(width: $width, height: 32, fit: $fit, format: AVIF) { url } files { url(width: $width) } } }'
  assert.deepEqual(await plans(() => apis.graphql(variables, { fit: 'COVER', width: 16 })), rest)
})

test('without files.sizes a variant is refused with the name of the setting', async (t) => {
  const app = await openFiles(t, 'type Photo { id: ID! file: File }')
  const id = await upload(app, {}, Buffer.from('x'), 'x')
  const { status, json } = await app.send('GET', `/files/${id}?width=320`)
  assert.equal(status, 400)
  assert.match(json.errors[0].message, /operator sets files\.sizes/)
})

test('variants are stored where files are: S3-compatible storage', async (t) => {
  const { endpoint, objects } = await openS3(t)
  const app = await openFiles(t, 'type Photo { id: ID! file: File }', defaultLimits, {
    ...settings,
    endpoint,
    bucket: 'bucket',
    ...keys,
  })
  const id = await upload(app, {}, emptyPng(40, 20), 'x.png')
  const { status, bytes } = await app.sendBytes('GET', `/files/${id}?width=16`)
  assert.deepEqual([status, (await sharp(bytes).metadata()).height], [200, 8])
  assert.equal(objects.size, 2)
})

async function upload(
  app: FilesService,
  headers: Record<string, string>,
  bytes: Buffer,
  name: string,
): Promise<string> {
  const reply = await app.send('POST', `/files?name=${name}`, {
    headers: { ...headers, 'content-type': 'image/png' },
    body: bytes,
  })
  assert.equal(reply.status, 201, reply.text)
  return reply.json.id
}

/** A black and white PNG of zeros: some kilobytes, whatever its size. */
function emptyPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0, 0, 0, 0], 8)
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height)
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const
    ends[0].writeUInt32BE(data.length)
    ends[1].writeUInt32BE(crc32(body))
    return Buffer.concat([ends[0], body, ends[1]])
  }
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
