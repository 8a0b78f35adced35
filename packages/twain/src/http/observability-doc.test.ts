// docs/operations/observability.md lists every metric and every log message of the source.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const source = join(import.meta.dirname, '..')
const page = readFileSync(join(source, '../../../docs/operations/observability.md'), 'utf8')
const files = globSync('**/*.ts', { cwd: source }).filter((file) => !/\.(test|fixture)\.ts$/.test(file))
const texts = files.map((file) => readFileSync(join(source, file), 'utf8'))

test('every metric is on the page', () => {
  const whole = matches(/(?<!binding\()'((?:twain_http|twain_graphql|http_server|nodejs|process)_[a-z_]+)'/g)
  const gauges = matches(/name: '([a-z_]+)',[^}]*?kind: '(?:gauge|counter)'/g).map((name) => `twain_${name}`)
  assert.ok(whole.length >= 8 && gauges.length >= 7, `${whole.length} and ${gauges.length} metrics were found`)
  assert.deepEqual(missing([...whole, ...gauges]), [])
})

test('every log message is on the page', () => {
  const messages = matches(
    /[lL]og\??\.(?:info|warn|error)\(\s*(?:[\w.]+(?:\([\w.]+\))?|\{[^;]*?\}),\s*'([^']+)',?\s*\)/g,
  )
  assert.ok(messages.length >= 30, `${messages.length} messages were found`)
  assert.deepEqual(missing(messages), [])
})

function matches(pattern: RegExp): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, found]) => found!)))]
}

function missing(names: readonly string[]): string[] {
  return names.filter((name) => !page.includes(`\`${name}\``)).toSorted()
}
