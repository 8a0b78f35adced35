// What `twain dev` prints once it serves: what, where, on which data, and for whom.

import type { HttpServer } from '#http'
import type { Model } from '#model'
import type { Paint } from './paint.ts'

export interface Served {
  model: Model
  server: Pick<HttpServer, 'host' | 'port'>
  data: string
  /** The port that was to be used. */
  wanted: number
}

export function banner({ model, server, data, wanted }: Served, paint: Paint): string {
  const at = addressOf(server)
  const { resources } = model
  const example = resources[0] === undefined ? '' : paint.dim(`  e.g. ${at}/${resources[0].path}`)
  const moved = wanted === 0 || wanted === server.port ? '' : `  Port ${wanted} is taken, so this is ${server.port}.\n`
  return `
${paint.bold(model.service.name)} is served
  Browser    ${paint.cyan(`${at}/`)}
  REST       ${paint.cyan(at)}${example}
  GraphQL    ${paint.cyan(`${at}/graphql`)}
  Data       ${data}
  Resources  ${resources.length}

${moved}  ${paint.yellow('open')}  ${openWords}
`
}

/** Rules come later; until then there is no account type, and who reaches the port is let in. */
export const openWords = 'Everyone who reaches this address can read and write: the schema has no account type.'

/** One that can be clicked. */
export function addressOf({ host, port }: Served['server']): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
