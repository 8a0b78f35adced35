#!/usr/bin/env node
// The launcher: plain JavaScript that an old Node can parse too, because it prints which version is needed. Twain runs on
// Node 24.7 and later (the first with argon2); on an older one the launcher looks for the npm package `node` and runs Twain by that.
// biome-ignore-all lint/style/useNodejsImportProtocol: the first Nodes with modules do not know `node:`

import { spawn, spawnSync } from 'child_process'
import module, { createRequire } from 'module'
import { tmpdir } from 'os'
import { dirname, join } from 'path'
import { fileURLToPath } from 'url'

const NEEDED = [24, 7]

if (isNewEnough(process.version)) start()
else runBy(installedNode())

function start() {
  // Compiled code is cached between runs: the second start takes a fraction of the time, and the compiler of TypeScript,
  // some 30 MB, is not even loaded. The writer thread and the reader processes inherit the variable.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || join(tmpdir(), 'node-compile-cache')
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
  // Nearly all objects of module loading are garbage: the young generation need not grow for them, and it never returns
  // memory. A server lets it grow again when it serves (cli/commands/young-generation.ts).
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
  hideExperimentalWarnings()
  import('../src/cli/cli.ts')
    .then(({ run }) => run(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
      // An open handle, such as the socket of a database that does not close it, must not keep the process alive. The output
      // is written first.
      setInterval(() => process.stdout.writableLength === 0 && process.exit(), 1000).unref()
    })
}

/** Hides Node's warnings about experimental features, which do not concern the operator. */
function hideExperimentalWarnings() {
  const emit = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'object' ? rest[0].type : rest[0]
    if (type !== 'ExperimentalWarning') emit.call(process, warning, ...rest)
  }
}

function runBy(node) {
  if (node === null) {
    console.error(`twain needs Node ${NEEDED.join('.')} or later, and this is ${process.version}.

Install it from https://nodejs.org, or put it beside twain:

  npm install node@${NEEDED[0]}
`)
    process.exitCode = 1
    return
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // The child gets all signals. This process exits when the child does, with the same code or signal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** The binary of the npm package `node`, installed beside Twain or in the current folder, if it is new enough. */
function installedNode() {
  for (const place of [fileURLToPath(import.meta.url), join(process.cwd(), 'package.json')]) {
    try {
      const found = createRequire(place).resolve('node/package.json')
      const binary = join(dirname(found), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
      const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
      if (status === 0 && isNewEnough(stdout)) return binary
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  return null
}

function isNewEnough(version) {
  const [major, minor] = /^v(\d+)\.(\d+)/.exec(version).slice(1).map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}
