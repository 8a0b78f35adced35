// The paths below `/-/`, by which the commands `twain import` and `twain export` reach a service: one in the same process, or a
// server that runs on the data. Only operators may call them. They are no part of the API of a service: command and server are
// of one version.

import { text } from 'node:stream/consumers'
import { ApiError } from '#base'
import { type ApiHandler, actorOf, type HttpReply, isOperator, isSystem, type Viewer } from '#base/http'
import type { ImportPositions } from '#store'
import type { ImportPortion } from './import/import-portion.ts'
import type { RowImporter } from './import/row-importer.ts'

export const operatorPrefix = '/-/'

/** `/-/imports`: POST writes a portion, GET and DELETE are about how far an import has come. */
export const importsPath = '/-/imports'

/** The command sends portions of some megabytes. */
const maxPortionBytes = 256 * 1024 * 1024

export interface OperatorServices {
  importer: RowImporter
  positions: ImportPositions
}

export function createOperatorApi({ importer, positions }: OperatorServices): ApiHandler {
  return async (request, viewer) => {
    expectOperator(viewer)
    const { method, path } = request
    const name = new URLSearchParams(request.query).get('name') ?? ''
    if (path !== importsPath) throw new ApiError('NOT_FOUND', 'There is nothing here.')
    switch (method) {
      case 'POST': {
        const portion = JSON.parse(await text(request.stream(maxPortionBytes))) as ImportPortion
        return json(await importer.write(portion, actorOf(viewer)))
      }
      case 'GET':
        return json(await positions.find(name))
      case 'DELETE':
        await positions.forget(name)
        return json(null)
      default:
        throw new ApiError('METHOD_NOT_ALLOWED', `${method} is not possible here.`, {
          headers: { allow: 'GET, POST, DELETE' },
        })
    }
  }
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
