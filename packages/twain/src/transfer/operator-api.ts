// The paths below `/-/`, by which the commands `twain import` and `twain export` reach a service: one in the same process, or a
// server that runs on the data. Only operators may call them. They are no part of the API of a service: command and server are
// of one version.

import { text } from 'node:stream/consumers'
import { ApiError, isRecord } from '#base'
import {
  type ApiHandler,
  actorOf,
  type HttpReply,
  type HttpRequest,
  isOperator,
  isSystem,
  plainRequest,
  system,
  type Viewer,
} from '#base/http'
import type { Files } from '#files'
import type { ImportPositions } from '#store'
import type { RowExporter } from './export/row-exporter.ts'
import type { ImportPortion } from './import/import-portion.ts'
import type { RowImporter } from './import/row-importer.ts'

/** POST writes a portion, GET and DELETE are about how far an import has come. */
export const importsPath = '/-/imports'

/** GET reads a page of the rows of a type. */
export const exportsPath = '/-/exports'

/** GET reads the bytes of a file, POST stores them. */
export const filesPath = '/-/files'

/** POST invites somebody to an account. */
export const invitationsPath = '/-/invitations'

/** What `twain invite` gets. */
export interface InvitedByOperator {
  /** The token of the link; null: the address has an account with a password. */
  token: string | null
  isMailed: boolean
  /** Whether the account is there, without a password: nothing of it changes but that. */
  isExisting: boolean
}

/** The command sends portions of some megabytes. */
const maxInvitationBytes = 1024 * 1024
const maxPortionBytes = 256 * 1024 * 1024

export interface OperatorServices {
  importer: RowImporter
  positions: ImportPositions
  exporter: RowExporter
  /** Null: the schema has no files. */
  files: Files | null
  /** Answers a request for the bytes of a file. */
  rest: ApiHandler
  /** Null: the logins of the schema are no addresses. */
  invite: ((input: Record<string, unknown>) => Promise<InvitedByOperator>) | null
}

export function createOperatorApi(services: OperatorServices): ApiHandler {
  return async (request, viewer) => {
    expectOperator(viewer)
    const parameters = new URLSearchParams(request.query)
    const handler = handlers.get(`${request.method} ${request.path}`)
    if (handler === undefined) throw new ApiError('NOT_FOUND', 'There is nothing here.')
    return handler(services, (name) => parameters.get(name) ?? '', request, viewer)
  }
}

type OperatorHandler = (
  services: OperatorServices,
  parameter: (name: string) => string,
  request: HttpRequest,
  viewer: Viewer,
) => Promise<HttpReply>

const handlers: ReadonlyMap<string, OperatorHandler> = new Map<string, OperatorHandler>([
  [
    `POST ${importsPath}`,
    async ({ importer }, _parameter, request, viewer) => {
      const portion = (await readValue(request, maxPortionBytes)) as ImportPortion
      return json(await importer.write(portion, actorOf(viewer)))
    },
  ],
  [`GET ${importsPath}`, async ({ positions }, parameter) => json(await positions.find(parameter('name')))],
  [
    `DELETE ${importsPath}`,
    async ({ positions }, parameter) => {
      await positions.forget(parameter('name'))
      return json(null)
    },
  ],
  [
    `GET ${exportsPath}`,
    async ({ exporter }, parameter) => json(await exporter.page(parameter('type'), parameter('after'))),
  ],
  [
    `GET ${filesPath}`,
    async ({ rest }, parameter) => rest(plainRequest('GET', `/files/${encodeURIComponent(parameter('id'))}`), system),
  ],
  [
    `POST ${invitationsPath}`,
    async ({ invite }, _parameter, request) => {
      const input = await readValue(request, maxInvitationBytes)
      if (invite === null) throw new ApiError('BAD_REQUEST', 'The logins of the schema are no email addresses.')
      if (!isRecord(input)) throw new ApiError('BAD_REQUEST', 'The account must be an object.')
      return json(await invite(input))
    },
  ],
  [
    `POST ${filesPath}`,
    async ({ files }, parameter, request) => {
      if (files === null) throw new ApiError('NOT_FOUND', 'The schema has no fields of type File.')
      const [name, mediaType] = [parameter('name'), parameter('mediaType')]
      await files.keep(parameter('id'), { bytes: request.stream(0), name, mediaType, client: '' })
      return json(null)
    },
  ],
])

async function readValue(request: HttpRequest, maxBytes: number): Promise<unknown> {
  return request.value ?? JSON.parse(await text(request.stream(maxBytes)))
}

/** The token of `twain token --role admin`, which the command signs for itself. No account and no API key is enough. */
function expectOperator(viewer: Viewer): void {
  if (isSystem(viewer) || (isOperator(viewer) && viewer.roles.includes('admin'))) return
  throw viewer.authenticated
    ? new ApiError('FORBIDDEN', 'Only operators may import and export rows.')
    : new ApiError('UNAUTHENTICATED', 'Only operators may import and export rows.', {
        headers: { 'www-authenticate': 'Bearer' },
      })
}

function json(value: unknown): HttpReply {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status: 200, headers, body: JSON.stringify(value) }
}
