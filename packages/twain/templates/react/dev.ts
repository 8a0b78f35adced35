// `npm run dev`: the service on port 4000 and the page on port 5173, until one of them ends.

import { spawn } from 'node:child_process'

const commands = [
  ['twain', 'dev', 'schema.graphql', '--seed', 'seed.ts', '--port', '4000'],
  ['vite', '--host', '127.0.0.1'],
]

const children = commands.map(([name, ...args]) =>
  spawn(process.execPath, [`node_modules/.bin/${name}`, ...args], { stdio: 'inherit' }),
)
const stop = () => {
  for (const child of children) child.kill()
}
for (const child of children) child.on('exit', stop)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
