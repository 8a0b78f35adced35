// What the command prints once it serves: what, where, on which data, and for whom.

import type { HttpServer } from '#http'
import type { Model } from '#model'
import type { Paint } from './paint.ts'

export interface Served {
  command: 'dev' | 'start'
  model: Model
  server: Pick<HttpServer, 'host' | 'port'>
  data: string
  /** The port that was to be used. */
  wanted: number
}

export function banner({ command, model, server, data, wanted }: Served, paint: Paint): string {
  const at = `http://${authority(server)}`
  const { resources } = model
  const example = resources[0] === undefined ? '' : paint.dim(`  e.g. ${at}/${resources[0].path}`)
  const moved = wanted === 0 || wanted === server.port ? '' : `  Port ${wanted} is taken, so this is ${server.port}.\n`
  return `
${paint.bold(model.service.name)} is served
  REST       ${paint.cyan(at)}${example}
  GraphQL    ${paint.cyan(`${at}/graphql`)}
  Data       ${data}
  Resources  ${resources.length}

${moved}  ${openness(command, paint)}
`
}

/** Rules come later; until then there is no account type, and who reaches the port is let in. */
function openness(command: Served['command'], paint: Paint): string {
  const words = 'Everyone who reaches this address can read and write: the schema has no account type.'
  return command === 'dev' ? `${paint.yellow('open')}  ${words}` : `${paint.yellow('warning')}  ${words}`
}

function authority({ host, port }: Served['server']): string {
  if (host === '0.0.0.0' || host === '::') return `localhost:${port}`
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
