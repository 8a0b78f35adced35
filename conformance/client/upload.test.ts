// File uploads of the client to a real server: with progress, and aborted when the caller aborts.
// stores: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@twain/client'
import { TestService } from '../harness/test-service.ts'

const keep = 'mutation Keep($file: Upload!) { uploadFile(file: $file) { id name mediaType size } }'

test('the client uploads files with progress, several in one mutation, and stops when aborted', async (t) => {
  const service = await TestService.open(t, 'type Album @allow { id: ID! title: String! cover: File photos: [File!]! }')
  const client = createClient({ url: `${service.address}/graphql` })
  const bytes = new Uint8Array(3_000_000).fill(7)
  const steps: [number, number][] = []
  const { data } = await client.upload<{ uploadFile: { id: string; size: number } }, { file: File }>(
    keep,
    { file: new File([bytes], 'a.bin', { type: 'a/b' }) },
    { onProgress: (sent, total) => steps.push([sent, total]) },
  )
  assert.deepEqual(
    { ...data?.uploadFile, id: '' },
    { __typename: 'File', id: '', name: 'a.bin', mediaType: 'a/b', size: 3_000_000 },
  )
  assert.ok(steps.length > 2)
  assert.deepEqual(
    steps.map(([sent]) => sent),
    steps.map(([sent]) => sent).sort((a, b) => a - b),
  )
  assert.equal(steps.at(-1)?.[0], steps.at(-1)?.[1])

  const album = await client.upload<{ createAlbum: { cover: { size: number }; photos: { name: string }[] } }, object>(
    'mutation Album($input: CreateAlbumInput!) { createAlbum(input: $input) { cover { size } photos { name } } }',
    { input: { title: 'a', cover: new Blob(['abc']), photos: ['x', 'y'].map((name) => new File([name], name)) } },
  )
  assert.equal(album.data?.createAlbum.cover.size, 3)
  assert.deepEqual(album.data?.createAlbum.photos.map(({ name }) => name).sort(), ['x', 'y'])

  const controller = new AbortController()
  const uploading = client.upload(
    keep,
    { file: new Blob([bytes]) },
    { signal: controller.signal, onProgress: () => controller.abort(new Error('enough')) },
  )
  await assert.rejects(uploading, /enough/)
})

test('the same mutation with another file uploads that file', async (t) => {
  const service = await TestService.open(t, 'type Album @allow { id: ID! title: String! cover: File }')
  const client = createClient({ url: `${service.address}/graphql` })
  for (const name of ['a.txt', 'b.txt']) {
    const { data } = await client.upload<{ uploadFile: { id: string; name: string } }, { file: File }>(keep, {
      file: new File([`text of ${name}`], name),
    })
    assert.equal(data?.uploadFile.name, name)
    const reply = await fetch(`${service.address}/files/${data.uploadFile.id}`)
    assert.equal(await reply.text(), `text of ${name}`)
  }
})
