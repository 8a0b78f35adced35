// The files of docs/operations that other programs read: compose files, the configuration of nginx, the unit of systemd.
// stores: sqlite

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { settings, variableOf } from '../../packages/twain/src/cli/settings/settings.ts'

const root = join(import.meta.dirname, '../..')
const templates = join(root, 'packages/twain/templates')

interface ComposeFile {
  services: Record<string, { environment?: Record<string, string>; tmpfs?: string[]; read_only?: boolean }>
  volumes: object
  configs?: Record<string, { content: string }>
}

function blockOf(page: string, language: string): string {
  const [, text] = new RegExp(`\n\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(
    readFileSync(join(root, 'docs/operations', page), 'utf8'),
  )!
  return `${text}\n`
}

const composeFiles: Record<string, string> = {
  'the template': readFileSync(join(templates, 'common/compose.yaml'), 'utf8'),
  'three nodes': blockOf('containers.md', 'yaml'),
}

for (const [name, text] of Object.entries(composeFiles)) {
  test(`the compose file of ${name} sets only what there is, and its nodes need no writable root`, () => {
    const { services } = parse(text, { merge: true }) as ComposeFile
    const nodes = Object.values(services).filter(({ environment }) => environment?.TWAIN_DATABASE !== undefined)
    assert.equal(nodes.length, name === 'three nodes' ? 3 : 1)
    const known = new Set(settings.map((setting) => variableOf(setting.name)))
    for (const { environment, read_only, tmpfs } of nodes) {
      assert.deepEqual([read_only, tmpfs], [true, ['/tmp']])
      for (const variable of Object.keys(environment!)) assert.ok(known.has(variable), variable)
    }
  })
}

test('nginx accepts the configuration of three nodes', { skip: isMissing('nginx') }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-nginx-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { configs } = parse(composeFiles['three nodes']!) as ComposeFile
  const site = configs!.nginx!.content.replaceAll('$$', '$').replace(/node\d:4000/g, '127.0.0.1:4000')
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${site.replace('listen 80', 'listen 8080')}\n}\n`,
  )
  const { status, stderr } = spawnSync('nginx', ['-t', '-c', file, '-p', folder], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

test('systemd accepts the unit', { skip: isMissing('systemd-analyze') }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-systemd-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'twain.service')
  writeFileSync(file, blockOf('deploy.md', 'ini').replace('User=twain', 'User=root'))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /twain\.service/)
})

function isMissing(program: string): string | false {
  return spawnSync('which', [program]).status === 0 ? false : `NO ${program.toUpperCase()}: it is not installed.`
}
