// How to say a command so that it works where it is pasted. Who came by npm (`npm start`, `npx twain`) may have no `twain`
// in their PATH, and npm runs the script of a workspace in that workspace's folder: INIT_CWD is where they stand.

import { isAbsolute, relative, resolve } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

export interface Caller {
  /** `twain`, or `npx twain`. */
  twain: string
  /** The folder as it is called from where they are. */
  place: (folder: string) => string
}

export function callerOf(env: Env): Caller {
  const { npm_command: npm, INIT_CWD: from } = env
  if (npm === undefined || npm === '') return { twain: 'twain', place: (folder) => folder }
  const elsewhere = from !== undefined && from !== '' && resolve(from) !== resolve('')
  const place = (folder: string) => (elsewhere && !isAbsolute(folder) ? relative(from, resolve(folder)) || '.' : folder)
  return { twain: 'npx twain', place }
}
