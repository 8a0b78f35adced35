// A command, run in this process as a terminal would run it: what it says, and with which code it ends.

import { run } from './cli.ts'

export interface Said {
  code: number
  out: string
  err: string
}

export async function command(...words: string[]): Promise<Said> {
  const said = { out: '', err: '' }
  const code = await run(words, {
    env: {},
    out: (part) => {
      said.out += part
    },
    err: (part) => {
      said.err += part
    },
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  })
  return { code, ...said }
}
