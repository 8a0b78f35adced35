#!/usr/bin/env node
// `npm create twain my-app` is `twain init my-app`. The launcher of twain says which Node it needs.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const folder = dirname(createRequire(import.meta.url).resolve('twain/package.json'))
const args = [join(folder, 'bin/twain.js'), 'init', ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
process.exitCode = status ?? 1
