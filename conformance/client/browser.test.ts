// The client in a real browser, for what browsers do differently from Node: uploads by XMLHttpRequest, IndexedDB.
// stores: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { TestService } from '../harness/test-service.ts'
import { bundleClient } from './bundle-client.ts'

const sdl = 'type Album @allow { id: ID! title: String! cover: File }'

interface Shown {
  steps: [number, number][]
  size: number
  status: string
}

test('uploads report their progress, and the cache is restored across visits', { skip: noBrowser }, async (t) => {
  const service = await TestService.open(t, sdl)
  await service.succeed('POST', '/albums', { title: 'first' })
  const browser = await openBrowser()
  t.after(() => browser.close())
  const bundle = await bundleClient(
    "export * from '@twain/client'; export { persist, indexedDb } from '@twain/client/persist'",
  )
  const page = await browser.newPage()
  const visit = async <T>(script: string): Promise<T> => {
    await page.goto(`${service.address}/healthz`)
    await page.evaluate(`${bundle}; globalThis.twain = twain`)
    return page.evaluate(`(async () => { ${script} })()`) as Promise<T>
  }
  const first = await visit<Shown>(`
    const client = twain.createClient({ url: '/graphql' })
    const end = await twain.persist(client, twain.indexedDb('test'))
    const steps = []
    const file = new File([new Uint8Array(3_000_000)], 'a.bin')
    const { data } = await client.upload('mutation ($file: Upload!) { uploadFile(file: $file) { id size } }', { file },
      { onProgress: (sent, total) => steps.push([sent, total]) })
    const stopped = new AbortController()
    const uploading = client.upload('mutation ($file: Upload!) { uploadFile(file: $file) { id } }', { file },
      { onProgress: () => stopped.abort(new Error('enough')), signal: stopped.signal })
    const status = await uploading.catch((error) => error.message)
    await client.query('query Albums { albums { id title } }')
    await end()
    return { steps, size: data.uploadFile.size, status }
  `)
  assert.equal(first.size, 3_000_000)
  assert.equal(first.status, 'enough')
  assert.ok(first.steps.length > 0)
  assert.equal(first.steps.at(-1)?.[0], first.steps.at(-1)?.[1])
  const restored = await visit<string>(`
    const client = twain.createClient({ url: '/graphql' })
    await twain.persist(client, twain.indexedDb('test'))
    const { data } = await client.query('query Albums { albums { id title } }', {}, { fetchPolicy: 'cache-only' })
    return data.albums[0].title
  `)
  assert.equal(restored, 'first')
  const shown = await visit<string>(`
    const client = twain.createClient({ url: '/graphql' })
    return new Promise((resolve) => {
      client.subscribe('subscription { albumCreated { title } }', {}, ({ data }) => resolve(data.albumCreated.title))
      setInterval(() => client.mutate('mutation { createAlbum(input: {title: "second"}) { id } }'), 50)
    })
  `)
  assert.equal(shown, 'second')
})
