import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { curlCommand } from './docs-page.ts'

test('a command has the method, the token and the body, quoted for a shell', () => {
  const body = { title: "it's $HOME `x`" }
  const line = curlCommand({ method: 'PATCH', path: '/posts/{id}', parameters: [], body, needsToken: true })
  const words = execFileSync('sh', ['-c', line.replace('curl', "printf '%s\\n'")], { encoding: 'utf8' }).split('\n')
  assert.match(words[0]!, /^http:\/\/localhost:4000\/posts\/[\w-]{36}$/)
  assert.deepEqual(words.slice(1, 3), ['-X', 'PATCH'])
  assert.equal(words[6], JSON.stringify(body))
})
