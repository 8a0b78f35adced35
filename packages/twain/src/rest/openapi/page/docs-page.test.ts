import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { loadOpenapiText } from '../documentation-pages.ts'
import { curlCommand } from './curl-command.ts'
import { docsPage } from './docs-page.ts'

test('a command has the method, the token and the body, quoted for a shell', () => {
  const body = { title: "it's $HOME `x`" }
  const line = curlCommand({ method: 'PATCH', target: '/posts/p1', body, hasToken: true })
  const words = execFileSync('sh', ['-c', line.replace('curl', "printf '%s\\n'")], { encoding: 'utf8' }).split('\n')
  assert.match(words[0]!, /^http:\/\/localhost:4000\/posts\/p1$/)
  assert.deepEqual(words.slice(1, 3), ['-X', 'PATCH'])
  assert.equal(words[6], JSON.stringify(body))
})

test('the page of twelve types has less than 387 KB: what operations share stands once', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `Type${String.fromCharCode(65 + at)}`)
  const types = names.map(
    (
      name,
      at,
    ) => `type ${name} { id: ID!, title: String! @search, size: Int, weight: Decimal, on: Date, tags: [String!]!,
      extra: JSON, next: ${names[(at + 1) % 12]}, former: [${names[(at + 11) % 12]}!]!,
      }`,
  )
  const { html } = docsPage(await loadOpenapiText(loadModel(types.join('\n'), 'twelve.graphql'), defaultLimits, 'full'))
  assert.ok(html.length < 387_000, String(html.length))
  assert.equal(html.match(/The request was not received in time/g)?.length, 1)
  assert.match(html, /<a href="#errors">Others<\/a>: <code>304 400 /)
})
