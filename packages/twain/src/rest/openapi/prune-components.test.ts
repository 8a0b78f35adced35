import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachableComponents } from './prune-components.ts'

test('components that a path references stay, also through circles', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const reachable = reachableComponents([{ schema: ref('A') }], {
    schemas: { Z: {}, B: { items: ref('A') }, A: { anyOf: [ref('B'), null] } },
    headers: { H: {} },
    securitySchemes: { bearer: {} },
  })
  assert.deepEqual(reachable, {
    schemas: { B: { items: ref('A') }, A: { anyOf: [ref('B'), null] } },
    securitySchemes: { bearer: {} },
  })
})
