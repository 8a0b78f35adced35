// `npm run dev`: the service on port 4000 and the page on port 5173, until one of them ends. `TWAIN_PORT=4100 npm run dev` takes another
// port for the service, and `npm run dev -- --port 5200` another one for the page.

import { spawn } from 'node:child_process'

const port = process.env.TWAIN_PORT ?? '4000'
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
for (const child of children) child.on('exit', stop)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
