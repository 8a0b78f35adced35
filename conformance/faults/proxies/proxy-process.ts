// A proxy before the nodes of a service, as docs/operations/proxies.md configures it: nginx, HAProxy or Caddy, if it is installed. It
// runs as a process of its own in a folder of its own, on ports of 127.0.0.1, and is ended by its process id.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../scripts/free-port.ts'
import { pageBlock } from './documented-config.ts'

export type Kind = 'nginx' | 'haproxy' | 'caddy'

/** Clients use the addresses 127.x.0.1, which only Linux has without configuration. */
export function isHere(kind: Kind): boolean {
  return process.platform === 'linux' && spawnSync(kind, ['-v']).error === undefined
}

/** The certificate of `localhost`, signed by `ca.crt`. */
const certificates = join(import.meta.dirname, '../../harness/certificates')

interface Places {
  folder: string
  /** `127.0.0.1:4000`, three of them. */
  nodes: readonly string[]
  secure: number
  plain: number
}

export class ProxyProcess {
  /** With TLS, and without, which redirects. */
  readonly ports: { secure: number; plain: number }
  readonly #child: ChildProcess
  readonly #folder: string

  static async start(kind: Kind, nodes: readonly string[]): Promise<ProxyProcess> {
    const folder = mkdtempSync(join(tmpdir(), `twain-${kind}-`))
    chmodSync(folder, 0o755) // the workers of an nginx that root starts run under another account
    const places = { folder, nodes, secure: await freePort(), plain: await freePort() }
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder } // where Caddy stores its state
    const child = spawn(kind, configure[kind](places), { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const proxy = new ProxyProcess(child, folder, places)
    let output = ''
    child.stderr!.on('data', (chunk) => (output += chunk))
    for (let tries = 0; tries < 2000 && child.exitCode === null; tries++) {
      if (await isOpen(places.secure)) return proxy
      await pause(10)
    }
    await proxy.end()
    throw new Error(`${kind} did not start:\n${output}`)
  }

  private constructor(child: ChildProcess, folder: string, { secure, plain }: Places) {
    this.#child = child
    this.#folder = folder
    this.ports = { secure, plain }
  }

  /** At once: open connections do not delay it. */
  async end(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await ended
    }
    rmSync(this.#folder, { recursive: true })
  }
}

const configure: Record<Kind, (places: Places) => string[]> = { nginx, haproxy, caddy }

/** Around the block of the page is what the file of Debian has, compression included. */
function nginx({ folder, nodes, secure, plain }: Places): string[] {
  const block = pageBlock('nginx', [
    ...nodesOf(nodes),
    ['listen 443', `listen 127.0.0.1:${secure}`],
    ['listen 80', `listen 127.0.0.1:${plain}`],
    ['/etc/ssl/api.example.org.crt', join(certificates, 'server.crt')],
    ['/etc/ssl/api.example.org.key', join(certificates, 'server.key')],
    ['https://api.example.org', `https://localhost:${secure}`],
    ['api.example.org', 'localhost'],
  ])
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = folders.map((folderName) => `  ${folderName}_temp_path ${join(folder, folderName)};\n`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;\nworker_processes 2;\npid ${join(folder, 'pid')};\nevents {}
http {\n  access_log off;\n  gzip on;\n  gzip_types application/json;\n${temporary.join('')}${block}}\n`,
  )
  return ['-p', folder, '-c', file, '-e', 'stderr']
}

function haproxy({ folder, nodes, secure, plain }: Places): string[] {
  const pem = join(folder, 'server.pem')
  const parts = ['server.crt', 'server.key'].map((name) => readFileSync(join(certificates, name), 'utf8'))
  writeFileSync(pem, parts.join(''))
  const block = pageBlock('haproxy', [
    ...nodesOf(nodes),
    ['bind :443', `bind 127.0.0.1:${secure}`],
    ['bind :80', `bind 127.0.0.1:${plain}`],
    ['/etc/ssl/api.example.org.pem', pem],
  ])
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, block)
  return ['-db', '-f', file]
}

function caddy({ folder, nodes, secure, plain }: Places): string[] {
  const block = pageBlock('caddy', [
    ...nodesOf(nodes),
    ['api.example.org {', `localhost {\n  tls ${join(certificates, 'server.crt')} ${join(certificates, 'server.key')}`],
  ])
  const file = join(folder, 'Caddyfile')
  writeFileSync(
    file,
    `{\n  admin off\n  http_port ${plain}\n  https_port ${secure}\n  default_bind 127.0.0.1\n  skip_install_trust\n}\n${block}`,
  )
  return ['run', '--adapter', 'caddyfile', '--config', file]
}

function nodesOf(nodes: readonly string[]): [string, string][] {
  return nodes.map((node, index) => [`10.0.0.${index + 1}:4000`, node])
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
