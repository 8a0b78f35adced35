#!/usr/bin/env node
// The launcher: plain JavaScript that an old Node can read too, since it is the one that has to say what is needed.
// Twain runs on Node 24 and later; on an older one it looks for the npm package `node` and goes on with that.
// biome-ignore-all lint/style/useNodejsImportProtocol: the first Nodes with modules do not know `node:`

import { spawn, spawnSync } from 'child_process'
import module, { createRequire } from 'module'
import { tmpdir } from 'os'
import { dirname, join } from 'path'
import { fileURLToPath } from 'url'

const NEEDED = 24

if (majorOf(process.version) >= NEEDED) start()
else hand(ownNode())

function start() {
  // Compiled code is kept between runs: start-up takes a fraction of the time from the second one on, and the compiler of
  // TypeScript, some 30 MB, is not even loaded. The variable tells the same to the writer's thread and the readers'
  // processes.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || join(tmpdir(), 'node-compile-cache')
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
  // Nearly all that is made while modules load is garbage: the young generation need not grow for it, and what it has taken
  // it does not give back. A server lets it grow again when it serves (cli/commands/serve.ts).
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
  quieten()
  import('../src/cli/cli.ts')
    .then(({ run }) => run(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
      // What is left, as the socket of a database that answers no goodbye, keeps nobody here. What was said is said first.
      setInterval(() => process.stdout.writableLength === 0 && process.exit(), 1000).unref()
    })
}

/** That Node calls some of its parts experimental is for us to know, not for who runs a service. */
function quieten() {
  const emit = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'object' ? rest[0].type : rest[0]
    if (type !== 'ExperimentalWarning') emit.call(process, warning, ...rest)
  }
}

function hand(node) {
  if (node === null) {
    console.error(`twain needs Node ${NEEDED} or later, and this is ${process.version}.

Install it from https://nodejs.org, or put it beside twain:

  npm install node@${NEEDED}
`)
    process.exitCode = 1
    return
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // What we are sent is passed on; we end when the child does, and as it did.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** The binary of the npm package `node`, beside us or beside who calls us, if it is new enough. */
function ownNode() {
  for (const place of [fileURLToPath(import.meta.url), join(process.cwd(), 'package.json')]) {
    try {
      const found = createRequire(place).resolve('node/package.json')
      const binary = join(dirname(found), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
      const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
      if (status === 0 && majorOf(stdout) >= NEEDED) return binary
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  return null
}

function majorOf(version) {
  return Number(/^v(\d+)\./.exec(version)[1])
}
