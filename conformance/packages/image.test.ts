// The `Dockerfile` of the templates, without Docker: the commands of its first stage in a clean folder, then its command and its
// health check as they are printed, and a stop by SIGTERM.
// stores: sqlite

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { until } from '../harness/until.ts'
import { InstalledFolder, tarballOf } from './installed.ts'

interface Instruction {
  name: string
  text: string
}

function parseDockerfile(text: string): Instruction[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n').filter(Boolean)
  return lines.map((line) => {
    const [name = '', ...rest] = line.trim().split(/\s+/)
    return { name, text: rest.join(' ') }
  })
}

test('the image of the template minimal', async (t) => {
  const workspace = await InstalledFolder.make({}, [tarballOf('twain')])
  t.after(() => workspace.remove())
  assert.equal((await workspace.twain('init', 'app')).code, 0)
  const app = new InstalledFolder(join(workspace.path, 'app'))
  const manifest = (await readFile(join(app.path, 'package.json'), 'utf8')).replace(
    /"twain": "[^"]+"/,
    `"twain": "file:${basename(tarballOf('twain'))}"`,
  )
  await copyFile(tarballOf('twain'), join(app.path, basename(tarballOf('twain'))))
  await writeFile(join(app.path, 'package.json'), manifest)
  await app.install('--package-lock-only')
  const instructions = parseDockerfile(await readFile(join(app.path, 'Dockerfile'), 'utf8'))
  const stages = instructions.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []))
  assert.equal(stages.length, 2)

  const image = new InstalledFolder(join(workspace.path, 'image'))
  await mkdir(image.path)
  for (const { name, text } of instructions.slice(0, stages[1])) {
    if (name === 'COPY') await copyInto(image.path, app.path, text)
    if (name !== 'RUN') continue
    const { code, output } = await image.run('sh', '-c', text)
    assert.equal(code, 0, `${text}\n${output}`)
  }
  const last = (name: string) => instructions.findLast((instruction) => instruction.name === name)!.text
  assert.equal(last('USER'), 'node')
  assert.equal(last('VOLUME'), '/data')
  const env = Object.fromEntries(
    last('ENV')
      .split(' ')
      .map((pair) => pair.split('=')),
  )
  assert.deepEqual(env, { NODE_ENV: 'production', TWAIN_HOST: '0.0.0.0', TWAIN_DATA: '/data' })

  const port = String(await freePort())
  const [command, ...args] = JSON.parse(last('CMD')) as [string, ...string[]]
  const server = spawn(command, args, {
    cwd: image.path,
    env: {
      ...process.env,
      ...env,
      TWAIN_HOST: '127.0.0.1',
      TWAIN_DATA: join(workspace.path, 'data'),
      TWAIN_PORT: port,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    },
    stdio: 'ignore',
  })
  const ended = once(server, 'exit')
  t.after(() => endProcess(server))
  const check = JSON.parse(/CMD (\[.*\])$/.exec(last('HEALTHCHECK'))![1]!.replaceAll('4000', port)) as [
    string,
    ...string[],
  ]
  const health = await until(
    async () => (server.exitCode === null ? (await image.run(...check)).code : -1),
    (code) => code <= 0,
  )
  assert.equal(health, 0)
  server.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.equal((await image.run(...check)).code, 1, 'the health check of a server that has ended')
})

/** Other files of the project are not there: a dependency outside of the copied ones can't be installed. */
async function copyInto(image: string, project: string, text: string): Promise<void> {
  for (const pattern of text.split(' ').slice(0, -1)) {
    for (const name of pattern === '.' ? await readdir(project) : globSync(pattern, { cwd: project }))
      if (name !== 'node_modules') await cp(join(project, name), join(image, name), { recursive: true })
  }
}

function endProcess(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
}
