// The curl commands of docs/reference/graphql.md, events.md and webhooks.md, run as they stand against the blog with its seed: each
// answers as the page says.
// stores: sqlite

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../scripts/free-port.ts'
import { ServerProcess } from '../harness/server-process.ts'

const root = join(import.meta.dirname, '../..')
const page = (name: string) => readFileSync(join(root, name), 'utf8')
const shell = promisify(execFile)
const curl = await shell('curl', ['--version']).then(
  () => true,
  () => false,
)

describe('the commands of docs/reference', { skip: curl ? false : 'there is no curl here' }, () => {
  const data = mkdtempSync(join(tmpdir(), 'twain-reference-'))
  let server: ServerProcess
  before(async () => {
    server = await ServerProcess.start(join(root, 'examples/blog/schema.graphql'), data, [
      '--seed',
      join(root, 'examples/blog/seed.ts'),
      ...['--webhooks-allow-private', 'true'],
    ])
  })
  after(async () => {
    await server.stop()
    rmSync(data, { recursive: true })
  })

  test('docs/reference/events.md: both streams and the long poll receive the change', {
    timeout: 60_000,
  }, async (t) => {
    const commands = blocks(page('docs/reference/events.md'))
    const streams = commands.filter((line) => line.startsWith('curl -N'))
    assert.equal(streams.length, 2)
    const outputs = streams.map((line) => {
      const process = spawn('bash', ['-c', `exec ${line.replaceAll('http://127.0.0.1:4000', server.address)} -s`])
      t.after(() => process.kill())
      process.stdout.setEncoding('utf8')
      return process.stdout
    })
    await Promise.all(outputs.map((stream) => once(stream, 'readable'))) // its first bytes say that it listens
    const [poll] = commands.filter((line) => line.includes('Prefer: wait=20'))
    const polled = run([poll!])
    const isAnswered = polled.then(() => true)
    const [write] = commands.filter((line) => line.includes('/users'))
    expectAnswer(write!, await run([write!]))
    for (const stream of outputs) {
      let text = ''
      for await (const piece of stream) {
        text += piece
        if (text.includes('Mei')) break
      }
      assert.match(text, /Mei/)
    }
    // The poll may have started after the first write: others follow until it is answered.
    for (let n = 1; !(await Promise.race([isAnswered, pause(500).then(() => false)])); n++) {
      await run([write!.replaceAll('mei', `mei_${n}`)])
    }
    assert.match((await polled).body, /Mei/)
  })

  test('docs/reference/graphql.md: each curl command has data and no errors', async () => {
    const commands = blocks(page('docs/reference/graphql.md'))
      .join('\n')
      .split(/\n(?=curl)/)
    assert.equal(commands.length, 4)
    const account = { email: 'amara_okafor@harbour.example', password: 'fair winds' }
    const signedIn = await fetch(`${server.address}/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    })
    const { token } = (await signedIn.json()) as { token: string }
    const photo = join(data, 'photo.png')
    writeFileSync(photo, 'a photo')
    for (const command of commands) {
      const { body, statuses } = await run([`A="authorization: Bearer ${token}"`, command.replace('photo.png', photo)])
      assert.deepEqual([statuses, body.includes('"data"'), body.includes('"errors"')], [['200'], true, false], body)
    }
  })

  test('docs/reference/webhooks.md: the first block makes a webhook', async () => {
    const [token, ...rest] = blocks(page('docs/reference/webhooks.md'))
    const made = rest.slice(0, 2).join('\n')
    expectAnswer(made, await run([token!.replace('examples/blog/data', data), made]))
  })

  test('docs/reference/webhooks.md: a receiver on this machine prints the message', { timeout: 60_000 }, async (t) => {
    const text = page('docs/reference/webhooks.md').replaceAll('examples/blog/data', data)
    const port = String(await freePort())
    const lines = blocks(text).map((line) => line.replaceAll('9999', port))
    assert.ok(lines.includes('npm start -- --webhooks-allow-private true'))
    const receiver = spawn('bash', ['-c', `exec ${lines.find((line) => line.startsWith('node -e'))}`])
    t.after(() => receiver.kill())
    await listening(port)
    const made = lines.slice(lines.lastIndexOf(lines.findLast((line) => line.startsWith('token='))!))
    expectAnswer(made.join('\n'), await run(made))
    receiver.stdout.setEncoding('utf8')
    let output = ''
    for await (const piece of receiver.stdout) {
      output += piece
      if (output.includes('João')) break
    }
    assert.match(output, /"type":"user.created"/)
  })

  test('docs/reference/webhooks.md: the receiver takes what is signed, and nothing else', async (t) => {
    const [, example] = /^```js\n([\s\S]*?)^```$/m.exec(page('docs/reference/webhooks.md'))!
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
    const folder = mkdtempSync(join(root, 'node_modules/.cache/twain-receiver-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const port = String(await freePort())
    writeFileSync(join(folder, 'receiver.mjs'), example!.replace('9999', port))
    const secret = `whsec_${Buffer.from('thirty-two bytes of a test secret').toString('base64')}`
    const env = { ...process.env, WEBHOOK_SECRET: secret }
    const receiver = spawn(process.execPath, [join(folder, 'receiver.mjs')], { env })
    t.after(() => receiver.kill())
    await listening(port)
    const body = '{"type": "post.created", "subject": "p1"}'
    const now = new Date()
    const send = async (signature: string) => {
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': signature,
      }
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status
    }
    const right = new Webhook(secret).sign('msg_1', now, body)
    assert.deepEqual([await send(right), await send('v1,AAAA')], [204, 401])
  })

  async function listening(port: string): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      const isOpen = await new Promise((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () => {
          socket.destroy()
          resolve(true)
        })
        socket.on('error', () => resolve(false))
      })
      if (isOpen) return
      await pause(20)
    }
    assert.fail(`nothing listens on ${port}`)
  }

  /** Every curl of the script writes its status to a line of its own on stderr. */
  async function run(lines: string[]): Promise<{ body: string; statuses: string[] }> {
    const script = lines.join('\n').replaceAll('http://127.0.0.1:4000', server.address)
    const measured = `curl() { command curl -w '%{stderr}%{http_code}\\n' "$@"; }\n${script}`
    const { stdout, stderr } = await shell('bash', ['-c', measured], { cwd: root })
    return { body: stdout, statuses: stderr.match(/^\d{3}$/gm) ?? [] }
  }

  function expectAnswer(line: string, { body, statuses }: { body: string; statuses: string[] }): void {
    assert.notEqual(body.trim(), '', line)
    for (const status of statuses) assert.match(status, /^2/, `${line}\n${body}`)
    assert.ok(statuses.length > 0, line)
  }
})

/** The lines of a page's shell blocks. */
function blocks(text: string): string[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block!.trimEnd().split('\n'))
}
