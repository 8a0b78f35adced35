// Administration of the server itself is for the role admin.

import { ApiError } from '../errors/api-error.ts'
import { isSystem, type Viewer } from './viewer.ts'

/** `what` is the subject of the sentence, in the plural. */
export function expectAdmin(viewer: Viewer, what: string): void {
  if (isSystem(viewer) || viewer.roles.includes('admin')) return
  if (viewer.authenticated) throw new ApiError('FORBIDDEN', `${what} need the role admin.`)
  throw new ApiError('UNAUTHENTICATED', `${what} need the role admin. Sign in first.`, {
    hint: 'twain token --role admin prints a token for the operator.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}
