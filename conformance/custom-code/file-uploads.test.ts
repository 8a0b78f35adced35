// File uploads to a custom mutation: the code gets the id of each file, on both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyText } from '../../packages/twain/src/base/http/index.ts'
import { ApiError } from '../../packages/twain/src/base/index.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { form } from '../files/open-files.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  scalar Upload
  type Album { id: ID! name: String cover: File photos: [File!]! }
  type Mutation {
    uploadFile(file: Upload!): File!
    press(name: String!, cover: Upload!, photos: [Upload!], any: JSON): Album!
    refuse(file: Upload!): Int
    bind(album: Binding!, others: [Binding!]): Album!
  }
  input Binding { name: String! cover: Upload! photos: [Upload!] note: JSON inside: Binding }
`

interface BoundAlbum {
  name: string
  cover: string
  photos?: string[]
  inside?: BoundAlbum
}

const received: unknown[] = []
const service: ServiceCode = {
  resolvers: {
    Mutation: {
      press({ any, ...album }, { write }) {
        received.push(any)
        return write.Album!.create(album)
      },
      bind({ album, others }, { write }) {
        const { name, cover, photos = [], inside } = album as BoundAlbum
        const more = [inside, ...((others as BoundAlbum[] | undefined) ?? [])].flatMap((one) => one?.cover ?? [])
        return write.Album!.create({ name, cover, photos: [...photos, ...more] })
      },
      refuse: () => new ApiError('CONFLICT', 'Not this one.'),
    },
  },
}

test('an Upload argument takes a file or the id of one', async () => {
  const apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
  try {
    const press =
      'mutation ($c: Upload!, $p: [Upload!], $j: JSON) { press(name: "A", cover: $c, photos: $p, any: $j) { cover { id name size } photos { name } } }'
    const made = await send(apis, press, { c: null, p: [null, null] }, { x: ['c', 'p.0'], y: ['p.1'] })
    const { cover, photos } = made.data.press
    assert.deepEqual([cover.name, cover.size, photos], ['x.txt', 1, [{ name: 'x.txt' }, { name: 'y.txt' }]])

    const byId = await apis.graphql(press, { c: cover.id })
    assert.deepEqual(byId.data?.press, { cover: { id: cover.id, name: 'x.txt', size: 1 }, photos: [] })
    const row = (await restBody(apis, 'POST', '/press-requests', { name: 'R', cover: cover.id })) as { cover: string }
    assert.equal(row.cover, cover.id)

    const { status, body } = await apis.rest('POST', '/press-requests', { name: 'R', cover: 'none' })
    assert.deepEqual([status, (body as { code: string }).code], [409, 'CONFLICT'], 'an id of no file')
    const other = await send(apis, press, { c: cover.id, j: { deep: null } }, { x: ['j.deep'] })
    assert.equal(other.errors[0].extensions.errors[0].code, 'TYPE', 'a file where none is taken')
    const refused = await send(apis, 'mutation ($f: Upload!) { refuse(file: $f) }', { f: null }, { x: ['f'] })
    assert.deepEqual([refused.data, refused.errors[0].extensions.code], [{ refuse: null }, 'CONFLICT'])
    const ours = await send(apis, 'mutation ($f: Upload!) { uploadFile(file: $f) { name } }', { f: null }, { x: ['f'] })
    assert.deepEqual(ours.data, { uploadFile: { name: 'x.txt' } })
    assert.deepEqual(
      received,
      [undefined, undefined, undefined, undefined],
      'the one with a file elsewhere was not called',
    )
  } finally {
    await apis.close()
  }
})

test('an input of a mutation takes files too, at every level', async () => {
  const apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
  try {
    const bind =
      'mutation ($a: Binding!, $o: [Binding!]) { bind(album: $a, others: $o) { name cover { id name } photos { name } } }'
    const album = { name: 'A', cover: null, photos: [null], inside: { name: 'B', cover: null } }
    const files = { c: ['a.cover'], p: ['a.photos.0'], i: ['a.inside.cover'], o: ['o.0.cover'] }
    const made = await send(apis, bind, { a: album, o: [{ name: 'O', cover: null }] }, files)
    assert.equal(made.errors, undefined)
    const { cover, photos } = made.data.bind
    assert.equal(cover.name, 'c.txt')
    assert.deepEqual(photos.map(({ name }: { name: string }) => name).toSorted(), ['i.txt', 'o.txt', 'p.txt'])

    const single = 'mutation ($f: Upload!) { bind(album: {name: "S", cover: $f}) { cover { name } } }'
    assert.deepEqual((await send(apis, single, { f: null }, { x: ['f'] })).data, { bind: { cover: { name: 'x.txt' } } })
    const byId = (await restBody(apis, 'POST', '/bind-requests', { album: { name: 'R', cover: cover.id } })) as {
      cover: string
    }
    assert.equal(byId.cover, cover.id)

    for (const [value, place] of [
      [{ name: null, cover: cover.id }, 'a.name'],
      [{ name: 'A', cover: cover.id, note: { deep: [null] } }, 'a.note.deep.0'],
    ] as const) {
      const refused = await send(apis, bind, { a: value }, { x: [place] })
      assert.equal(refused.errors[0].extensions.errors[0].code, 'TYPE', place)
    }
    const { status } = await apis.rest('POST', '/bind-requests', { album: { name: 'R', cover: 7.5 } })
    assert.equal(status, 400)
  } finally {
    await apis.close()
  }
})

/** Files, each with its name as its content, and the variables that they are sent for. */
async function send(apis: TestApis, query: string, variables: object, files: Record<string, string[]>) {
  const map = Object.entries(files).map(([name, places]) => [name, places.map((place) => `variables.${place}`)])
  const sent = form([
    { name: 'operations', value: JSON.stringify({ query, variables }) },
    { name: 'map', value: JSON.stringify(Object.fromEntries(map)) },
    ...Object.keys(files).map((name) => ({ name, fileName: `${name}.txt`, type: 'text/plain', value: name })),
  ])
  const headers = { ...sent.headers, 'x-requested-with': 'test' }
  const reply = await apis.send('graphql', { method: 'POST', path: '/graphql', headers, body: sent.body! })
  return JSON.parse(await bodyText(reply)) as ReturnType<typeof JSON.parse>
}
