// Runs a command in this process and returns its output and its exit code.

import { run } from './cli.ts'

export interface CommandResult {
  code: number
  out: string
  err: string
}

export async function command(...words: string[]): Promise<CommandResult> {
  const output = { out: '', err: '' }
  const code = await run(words, {
    env: {},
    out: (part) => {
      output.out += part
    },
    err: (part) => {
      output.err += part
    },
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  })
  return { code, ...output }
}
