// The examples start as they are, and the blog's seed makes a believable set of data in less than a second.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { seed } from '../examples/blog/seed.ts'
import { ask, call, openFaces } from './open-faces.ts'

const sdlOf = (example: string) => readFile(join(import.meta.dirname, `../examples/${example}/schema.graphql`), 'utf8')

test('hello greets through both faces', async () => {
  const faces = await openFaces(await sdlOf('hello'))
  await call(faces, 'POST', '/greetings', { text: 'Hello' })
  assert.deepEqual(await ask(faces, '{ greetings { text language loud } }'), {
    greetings: [{ text: 'Hello', language: null, loud: null }],
  })
  await faces.close()
})

test('the blog is seeded in less than a second', async () => {
  const faces = await openFaces(await sdlOf('blog'))
  const paths = new Map(faces.model.resources.map(({ name, path }) => [name, path]))
  const began = performance.now()
  await seed(async (name, input) => (await call(faces, 'POST', `/${paths.get(name)}`, input)) as { id: string })
  const took = performance.now() - began
  const counts = await ask(
    faces,
    `{
    users: usersConnection { totalCount } posts: postsConnection { totalCount } comments: commentsConnection { totalCount }
    tags: tagsConnection { totalCount } photos: photosConnection { totalCount } commentables: commentablesConnection { totalCount }
    favourites: usersConnection(where: {pinned: {isNull: false}}) { totalCount } }`,
  )
  const totals = Object.values(counts).map((each) => (each as { totalCount: number }).totalCount)
  assert.deepEqual(totals, [23, 120, 400, 15, 12, 132, 3])
  assert.ok(took < 1000, `it took ${Math.round(took)} ms`)
  await faces.close()
})
