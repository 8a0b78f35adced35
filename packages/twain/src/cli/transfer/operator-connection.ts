// How `twain import` and `twain export` reach the service: they open it themselves, or, if a server runs on the data folder, they
// talk to that server with an operator's token, which they sign with the secret of the data.

import { SignedTokens, SigningKeys } from '#auth'
import { didYouMean, uuidv7 } from '#base'
import { type HttpReply, type HttpRequest, isStream, plainRequest } from '#base/http'
import { wallTime } from '#base/time'
import { openService, readSchema } from '#main'
import type { Model } from '#model'
import { FolderInUse, openCredentialStore } from '#store'
import { CommandFailed } from '../report/explain-error.ts'
import type { Logs } from '../report/logs.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { defaultSchema } from '../settings/default-schema.ts'
import type { Settings } from '../settings/settings.ts'

export interface OperatorReply {
  status: number
  bytes: Uint8Array
  text(): string
}

function replyOf(status: number, bytes: Uint8Array): OperatorReply {
  return { status, bytes, text: () => Buffer.from(bytes).toString() }
}

export interface OperatorConnection {
  model: Model
  /** `target` is a path below `/-/` with its query. Throws CommandFailed if the server can't be reached. */
  send(method: string, target: string, body?: string | Uint8Array<ArrayBuffer>): Promise<OperatorReply>
  /** The same with a body that is JSON. A service in this process gets the value itself. */
  sendValue(method: string, target: string, value: object): Promise<OperatorReply>
  close(): Promise<void>
}

interface ConnectOptions {
  settings: Settings
  schemaFile: string
  /** The address of the server that runs on the data; null: that of the settings. */
  server: string | null
  surface: Terminal
  logs: Logs
}

/** The connection of a command line, with `--schema` and `--server`. */
export function connect(
  { options, settings }: Pick<CommandLine & { kind: 'run' }, 'options' | 'settings'>,
  surface: Terminal,
  logs: Logs,
): Promise<OperatorConnection> {
  const schemaFile = options.get('schema') ?? defaultSchema()
  return open({ settings, schemaFile, server: options.get('server') ?? null, surface, logs })
}

/** That there is no such type, for the user of a command. */
export function unknownType(type: string, { resources }: Model): string {
  const names = resources.map(({ name }) => name)
  return `There is no type "${type}" with rows.${didYouMean(type, names) || ` The types are ${names.join(', ')}.`}`
}

async function open(options: ConnectOptions): Promise<OperatorConnection> {
  if (options.server !== null) return connectToServer(options)
  try {
    return await openInProcess(options)
  } catch (error) {
    if (error instanceof FolderInUse) return connectToServer(options)
    throw error
  }
}

/** On SQLite no server may run on the data, on PostgreSQL other nodes may. */
async function openInProcess({ settings, schemaFile, surface, logs }: ConnectOptions): Promise<OperatorConnection> {
  const queue = { ...settings.queue, concurrency: 0 } // the server runs the jobs that hooks enqueue
  const service = await openService({
    ...settings,
    queue,
    schemaFile,
    mayLackMail: true,
    stop: surface.stop,
    log: logs.log,
  })
  const handle = async (request: HttpRequest): Promise<OperatorReply> => {
    const reply = await service.handleAsSystem(request)
    return replyOf(reply.status, await bodyBytes(reply))
  }
  return {
    model: service.model,
    send: (method, target, body) => handle(plainRequest(method, target, body === undefined ? {} : { body })),
    sendValue: (method, target, value) => handle(plainRequest(method, target, { value })),
    close: () => service.close(),
  }
}

/** Longer than an import of some hours. */
const tokenMs = 24 * 3600 * 1000

async function connectToServer({ settings, schemaFile, server }: ConnectOptions): Promise<OperatorConnection> {
  const address = (server ?? `http://127.0.0.1:${settings.port}${settings.http.basePath ?? ''}`).replace(/\/$/, '')
  const { model } = await readSchema(schemaFile)
  const token = await signToken(settings)
  const send = async (
    method: string,
    target: string,
    body?: string | Uint8Array<ArrayBuffer>,
  ): Promise<OperatorReply> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    let reply: Response
    try {
      reply = await fetch(address + target, { method, headers, ...(body === undefined ? {} : { body }) })
    } catch (error) {
      throw new CommandFailed(`The server at ${address} does not answer. ${serverHint}`, error)
    }
    if (reply.status === 401 || reply.status === 404) {
      throw new CommandFailed(`The server at ${address} does not serve the data in ${settings.data}. ${serverHint}`)
    }
    return replyOf(reply.status, new Uint8Array(await reply.arrayBuffer()))
  }
  const sendValue: OperatorConnection['sendValue'] = (method, target, value) =>
    send(method, target, JSON.stringify(value))
  return { model, send, sendValue, close: async () => {} }
}

const serverHint =
  'A server runs on the data: name it with --server URL, or stop it. An import that was begun goes on where it stopped.'

async function signToken(settings: Settings): Promise<string> {
  const credentials = await openCredentialStore(settings)
  try {
    const keys = new SigningKeys(credentials, settings.auth, wallTime)
    return await new SignedTokens(keys, wallTime).signOperator(uuidv7(), ['admin'], wallTime() + tokenMs)
  } finally {
    await credentials.close()
  }
}

async function bodyBytes({ body }: HttpReply): Promise<Uint8Array> {
  if (!isStream(body)) return typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array())
  const parts: Uint8Array[] = []
  for await (const part of body) parts.push(typeof part === 'string' ? Buffer.from(part) : part)
  return Buffer.concat(parts)
}
