// `npm run dev`: the service on port 4000 and the page on port 5173, until one of them ends. TWAIN_PORT, in `.env` or in the environment,
// sets another port for the service, and `npm run dev -- --port 5200` another one for the page. It is plain JavaScript, so that an old
// Node runs it too: `twain` then says which one it needs.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import * as util from 'node:util'

const settings = existsSync('.env') ? util.parseEnv?.(readFileSync('.env', 'utf8')) : {} // an old Node has no `parseEnv`
const port = process.env.TWAIN_PORT || settings?.TWAIN_PORT || '4000'
const commands = [
  ['twain', 'dev', 'schema.graphql', '--seed', 'seed.ts', '--port', port],
  ['vite', '--host', '127.0.0.1', ...process.argv.slice(2)],
]
const env = { ...process.env, API: `http://127.0.0.1:${port}` } // where vite.config.ts sends requests for /api

const children = commands.map(([name, ...args]) =>
  spawn(process.execPath, [`node_modules/.bin/${name}`, ...args], { stdio: 'inherit', env }),
)
const stop = () => {
  for (const child of children) child.kill()
}
for (const child of children) {
  child.on('exit', (code) => {
    process.exitCode ||= code ?? 0 // the first error; null: ended by a signal
    stop()
  })
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
