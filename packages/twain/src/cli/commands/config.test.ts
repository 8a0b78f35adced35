import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCommandLine } from '../settings/command-line.ts'
import { settings } from '../settings/settings.ts'
import { config } from './config.ts'

test('every setting with its value and its source, without secrets', async () => {
  const env = { TWAIN_AUTH_SECRET: 's'.repeat(32), TWAIN_LIMITS_DEPTH: '7' }
  const envFile = { TWAIN_DATABASE: 'postgres://ann:secret@db.example/app?password=secret&sslmode=require' }
  const text = await print(['--port', '4100'], env, envFile)
  assert.doesNotMatch(text, /secret@|sss|=secret/)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/))
  assert.equal(lines.length, settings.length)
  const shown = new Map(lines.map(([name, ...rest]) => [name, rest]))
  assert.deepEqual(shown.get('port'), ['4100', '--port'])
  assert.deepEqual(shown.get('auth.secret'), ['****', 'TWAIN_AUTH_SECRET'])
  assert.deepEqual(shown.get('limits.depth'), ['7', 'TWAIN_LIMITS_DEPTH'])
  assert.deepEqual(shown.get('limits.requestsPerMinute'), ['600', 'default'])
  assert.deepEqual(shown.get('database'), [
    'postgres://ann:****@db.example/app?password=****&sslmode=require',
    'TWAIN_DATABASE in .env',
  ])
})

test('as JSON, and with the defaults of dev', async () => {
  const shown: { name: string }[] = JSON.parse(await print(['--json', '--dev'], {}, {}))
  assert.deepEqual(
    shown.find(({ name }) => name === 'http.cors'),
    { name: 'http.cors', value: 'localhost', source: 'default' },
  )
})

async function print(flags: string[], env: Record<string, string>, envFile: Record<string, string>): Promise<string> {
  const line = await readCommandLine(['config', 'none.graphql', ...flags], env, envFile)
  assert.equal(line.kind, 'run')
  let text = ''
  const surface = {
    env,
    out: (part: string) => {
      text += part
    },
    err: () => {},
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  }
  assert.equal(config(line as typeof line & { kind: 'run' }, surface), 0)
  return text
}
