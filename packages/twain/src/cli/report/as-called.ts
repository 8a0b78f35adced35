// Formats commands so that the user can paste them. A user who started Twain by npm (`npm start`, `npx twain`) may have no
// `twain` in PATH. npm runs a workspace script in the workspace's folder; INIT_CWD is the user's folder.

import { isAbsolute, relative, resolve } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

export interface Caller {
  /** `twain`, or `npx twain`. */
  twain: string
  /** The path of a folder, relative to the user's folder. */
  place: (folder: string) => string
}

export function callerOf(env: Env): Caller {
  const { npm_command: npm, INIT_CWD: from } = env
  if (npm === undefined || npm === '') return { twain: 'twain', place: (folder) => folder }
  const elsewhere = from !== undefined && from !== '' && resolve(from) !== resolve('')
  const place = (folder: string) => (elsewhere && !isAbsolute(folder) ? relative(from, resolve(folder)) || '.' : folder)
  return { twain: 'npx twain', place }
}
