// What only the role admin, and the server itself, may see.

import { ApiError } from '../errors/api-error.ts'
import { isSystem, type Viewer } from './viewer.ts'

export function isAdmin(viewer: Viewer): boolean {
  return viewer.roles.includes('admin') || isSystem(viewer)
}

/** Throws otherwise. `message` says what needs the role. */
export function requireAdmin(viewer: Viewer, message: string): void {
  if (isAdmin(viewer)) return
  if (viewer.authenticated) throw new ApiError('FORBIDDEN', message)
  throw new ApiError('UNAUTHENTICATED', `${message} Sign in first.`, {
    hint: 'twain token --role admin prints a token for the operator.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}
